/**
 * Every broken input is refused in one sentence with exit code 2, within seconds, and leaves no half-written
 * file.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { afterAll, describe, expect, test } from 'vitest'
import { completeCommand } from '#cli/commands/complete/complete.ts'
import { convertCommand } from '#cli/commands/convert.ts'
import { dataCommand } from '#cli/commands/data.ts'
import { imageCommand } from '#cli/commands/image/image.ts'
import { infoCommand } from '#cli/commands/info.ts'
import { predictCommand } from '#cli/commands/predict/predict.ts'
import { splitCommand } from '#cli/commands/split.ts'
import { synthCommand } from '#cli/commands/synth.ts'
import { asFlag, explainFailure } from '#cli/process/failure.ts'
import { InputError } from '#lacuna/base/inputError.js'
import { openSession } from '#lacuna/io/node/duckdb/session.js'
import { writePng } from '#lacuna/io/node/index.js'
import { lacuna } from '../cli/lacuna.ts'
import { type Attack, attacks, imageAttacks, parquetAttacks } from './inputs.ts'

const root = mkdtempSync(join(tmpdir(), 'lacuna-attacks-'))
afterAll(() => rmSync(root, { recursive: true }))

const commands = {
  complete: completeCommand,
  convert: convertCommand,
  data: dataCommand,
  image: imageCommand,
  info: infoCommand,
  predict: predictCommand,
  split: splitCommand,
  synth: synthCommand,
}
const SECONDS = 5

/** Runs the command in this process, silently; what it ended with. */
async function outcome({ files, args: [name, ...args] }: Attack, folder: string): Promise<unknown> {
  mkdirSync(folder)
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
  const here = /^(?!-|\d|https?:)[\w/-]*(\.[\w.]+|\/[\w.]+)$|^out$|^no\/out$|^no-ending$/
  const full = args.map((arg) => (here.test(arg) ? join(folder, arg) : arg))
  const command = commands[name as keyof typeof commands]()
  for (const each of [command, ...command.commands])
    each.exitOverride().configureOutput({ writeErr() {}, writeOut() {} })
  const write = { out: process.stdout.write, err: process.stderr.write }
  const silent = ((_: unknown, ...rest: unknown[]) => {
    const done = rest.at(-1)
    if (typeof done === 'function') done()
    return true
  }) as typeof process.stdout.write
  try {
    process.stdout.write = silent
    process.stderr.write = silent
    await command.parseAsync(full, { from: 'user' })
    return undefined
  } catch (error) {
    return explainFailure(error) === 2 ? error : new Error(`exit ${explainFailure(error)}: ${error}`)
  } finally {
    process.stdout.write = write.out
    process.stderr.write = write.err
  }
}

let next = 0

/** What is wrong with the answer to an attack; nothing, if all is well. */
async function weakness(attack: Attack): Promise<string[]> {
  const { files, name, args } = attack
  const folder = join(root, String(next++))
  const start = performance.now()
  const error = await outcome(attack, folder)
  const faults: string[] = []
  if (error instanceof InputError) {
    const sentence = error.in(asFlag)
    if (!/^[^\n]{20,}[.?]$/.test(sentence)) faults.push(`says ${JSON.stringify(sentence)}`)
    // A test that asks for files that are not there proves nothing.
    const isThere = !/\bnone\b|no-ending|\.exe|^info \.\.?$/.test(args.join(' '))
    if (
      isThere &&
      /no such file|ending is not that/.test(sentence) &&
      !/xls|out\.txt|out$/.test(args.join(' '))
    )
      faults.push(`misses its point: ${sentence}`)
    if (/ at file:|\bundefined\b|\[object|\bNaN is\b|=>/.test(sentence)) faults.push(`betrays ${sentence}`)
  } else if (!(error instanceof CommanderError))
    faults.push(error === undefined ? 'is accepted' : `fails with ${error}`)
  if (performance.now() - start > 1000 * SECONDS) faults.push('takes long')
  const left = readdirSync(folder).filter((file) => !Object.hasOwn(files, file))
  if (left.length > 0) faults.push(`leaves ${left.join()}`)
  for (const [file, content] of Object.entries(files))
    if (Buffer.compare(readFileSync(join(folder, file)), Buffer.from(content)) !== 0)
      faults.push(`changes ${file}`)
  rmSync(folder, { recursive: true })
  return faults.map((fault) => `${name}: lacuna ${args.join(' ').slice(0, 120)} ${fault}`)
}

async function weaknesses(some: Iterable<Attack>): Promise<string[]> {
  const found: string[] = []
  for (const attack of some) found.push(...(await weakness(attack)))
  return found
}

const all = [...attacks()]
const kinds = new Map<string, Attack[]>()
for (const attack of all)
  kinds.set(attack.name.split(' ')[0], [...(kinds.get(attack.name.split(' ')[0]) ?? []), attack])

describe('broken inputs', () => {
  test('there are more than 500 broken inputs, all different', async () => {
    const distinct = new Set(
      all.map(({ files, args }) =>
        JSON.stringify([
          Object.entries(files).map(([name, content]) => [name, Buffer.from(content).toString('base64')]),
          args,
        ]),
      ),
    )
    expect(distinct.size).toBe(all.length)
    expect(all.length).toBeGreaterThan(500)
  })

  for (const [kind, some] of kinds)
    test(`all ${some.length} broken inputs of ${kind} are refused in one sentence`, async () => {
      expect(await weaknesses(some)).toEqual([])
    })

  test('truncated and corrupted Parquet files are refused in one sentence', async () => {
    const session = await openSession('test')
    const path = join(root, 'good.parquet')
    await session.run(
      `COPY (SELECT range AS a, 'l' || range % 7 AS b, range / 3 AS v FROM range(2000)) TO '${path}'`,
    )
    session.close()
    expect(await weaknesses(parquetAttacks(readFileSync(path)))).toEqual([])
  })

  test('broken pictures are refused in one sentence', async () => {
    const data = Uint8Array.from({ length: 48 * 48 * 3 }, (_, i) => (i * i * 31) % 251)
    await writePng(join(root, 'good.png'), { width: 48, height: 48, channels: 3, maximum: 255, data })
    expect(await weaknesses(imageAttacks(readFileSync(join(root, 'good.png'))))).toEqual([])
  })

  test('the command exits with code 2 and one line of error for broken inputs', async () => {
    for (const { name, files, args } of all.filter((_, i) => i % 60 === 7)) {
      const folder = join(root, String(next++))
      mkdirSync(folder)
      for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
      const { code, stderr } = await lacuna(args, { cwd: folder })
      const complaints = stderr.split('\n').filter((line) => /^(lacuna|error):/.test(line))
      expect({ name, code, complaints: complaints.length, stderr }).toMatchObject({
        name,
        code: 2,
        complaints: 1,
      })
    }
  })
})
