/** No file below 1 MB takes long or much memory, whatever it holds. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { lacuna, type Run } from '../cli/lacuna.ts'
import { smallFiles } from './smallFiles.ts'

/** Limits of processor time and memory for reading a file below 1 MB. */
const MAX_SECONDS = 2
const MAX_BYTES = 300e6

/** Files that have once taken minutes, which are always read; of the others, every eighth, others each day. */
const ALWAYS = /6,000|commas$|75,000|nested 5,000|of other names each/
const SHARDS = 8

const folder = mkdtempSync(join(tmpdir(), 'lacuna-small-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What a run has taken, if that is too much or it has not ended with 0 or 2. */
function faultOf({ code, processorSeconds = Infinity, peakBytes = Infinity }: Run): string | undefined {
  if (processorSeconds <= MAX_SECONDS && peakBytes <= MAX_BYTES && (code === 0 || code === 2))
    return undefined
  return `ends with ${code} after ${processorSeconds} s and ${Math.round(peakBytes / 1e6)} MB`
}

test('a file below 1 MB takes at most 2 s of processor time and 300 MB', async () => {
  const faults: string[] = []
  const all = [...smallFiles()]
  const seed = process.env.LACUNA_SMALL_FILES ?? String(Math.floor(Date.now() / 864e5) % SHARDS)
  const some = all.filter(({ name }, i) => seed === 'all' || ALWAYS.test(name) || i % SHARDS === Number(seed))
  for (const { name, files, args } of some) {
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
    let fault = faultOf(await lacuna(args, { cwd: folder }))
    // The memory of a process that has read other files does not tell which of them took it.
    if (fault) fault = faultOf(await lacuna(args, { cwd: folder, fresh: true }))
    if (fault) faults.push(`${name}: ${args[0]} ${fault} (LACUNA_SMALL_FILES=${seed})`)
  }
  expect(faults).toEqual([])
}, 600_000)
