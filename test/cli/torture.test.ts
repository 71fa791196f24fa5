/** Five seconds of `npm run torture`, and that the harness sees what it looks for. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { leftovers } from '../../scripts/torture/folders.mjs'
import { findBadEnd, findDamage } from '../../scripts/torture/judge.mjs'
import { formatOutcomes } from '../../scripts/torture/table.mjs'
import { torture } from '../../scripts/torture/torture.mjs'
import { lacuna } from './lacuna.ts'

it('five seconds of torture leave nothing damaged, left over or unclean', { timeout: 180_000 }, async () => {
  const seed = Date.now() % 1e6
  const { outcomes, folder } = await torture({ seconds: 5, seed, quick: true })
  const all = [...outcomes.values()]
  expect(all.reduce((sum, { runs }) => sum + runs, 0)).toBeGreaterThan(0)
  expect(folder, `seed ${seed}\n${formatOutcomes(outcomes)}`).toBeUndefined()
})

describe('the harness finds', () => {
  const attempt = mkdtempSync(join(tmpdir(), 'lacuna-judge-'))
  const [inputs, work] = [join(attempt, 'inputs'), join(attempt, 'work')]
  for (const folder of [inputs, work, join(attempt, 'tmp')]) mkdirSync(folder)
  for (const folder of [inputs, work]) writeFileSync(join(folder, 'data.tns'), '1 1 1\n')
  afterAll(() => rmSync(attempt, { recursive: true }))
  const item = { name: 'case', args: [], outputs: ['a.csv', 'b.csv'], isUnit: true, weight: 1 }
  const end = {
    code: 2,
    killed: false,
    hung: false,
    fired: 'write 1',
    stdout: '',
    stderr: 'lacuna: No space.\n',
  }
  const put = (name: string, text: string): void => writeFileSync(join(work, name), text)
  const find = (code: number | null, mayBeMixed = false): Promise<string[]> => {
    const ends = [{ ...end, code }]
    return findDamage({
      inputs,
      work,
      item,
      fingerprints,
      hasOld: true,
      ends,
      mayBePartial: false,
      mayDiffer: false,
      mayBeMixed,
    })
  }
  /** SHA-256 of `new`. */
  const wanted = '11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437'
  const fingerprints = [wanted, wanted]
  const old = (name: string): string => `what was in ${name} before\n`

  it('outputs that are torn, lost or mixed, and inputs that have changed', async () => {
    put('a.csv', old('a.csv'))
    put('b.csv', old('b.csv'))
    expect(await find(2)).toEqual([])
    expect(await find(0)).toEqual([
      'a.csv is old though the command has succeeded',
      'b.csv is old though the command has succeeded',
    ])
    put('b.csv', 'new')
    expect(await find(2)).toEqual(['files that belong together are old and new'])
    expect(await find(null, true)).toEqual([])
    put('a.csv', 'ne')
    expect(await find(null, true)).toEqual(['a.csv is neither old nor new'])
    rmSync(join(work, 'a.csv'))
    expect(await find(null, true)).toEqual(['a.csv is lost'])
    put('a.csv', 'new')
    expect(await find(0)).toEqual([])
    put('data.tns', '1 1 2\n')
    expect(await find(0)).toEqual(['the input data.tns has changed'])
  })

  it('hidden files beside the outputs and in the folder for temporary files', () => {
    expect(leftovers(inputs, attempt, item)).toEqual([])
    put('.a.csv.1-2-3.tmp', '')
    writeFileSync(join(attempt, 'tmp', 'x'), '')
    expect(leftovers(inputs, attempt, item)).toEqual(['.a.csv.1-2-3.tmp', '$TMPDIR/x'])
  })

  it('stack traces, other codes, missing sentences and commands that hang', () => {
    const fault = { kind: 'error', code: 'EIO' }
    expect(findBadEnd(fault, end, item)).toBeUndefined()
    expect(findBadEnd({ kind: 'short' }, end, item)).toMatch(/^ends with 2: lacuna: No space/)
    expect(findBadEnd(fault, { ...end, stderr: '' }, item)).toMatch(/^ends with 2/)
    expect(findBadEnd(fault, { ...end, code: 1 }, item)).toMatch(/^ends with 1/)
    const trace = 'lacuna: this is a fault\nError: x\n    at f (file.js:1:2)\n'
    expect(findBadEnd(fault, { ...end, stderr: trace }, item)).toMatch(/^prints a stack trace/)
    expect(findBadEnd({ kind: 'kill' }, { ...end, hung: true }, item)).toBe('hangs')
    expect(findBadEnd({ kind: 'kill' }, { ...end, code: null, killed: true }, item)).toBeUndefined()
  })
})

it('the faulty file layer kills at the chosen operation, and lets writes and reads fail', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-layer-'))
  const layer = new URL('../../scripts/torture/faultyFiles.cjs', import.meta.url).pathname
  const report = join(folder, 'report')
  writeFileSync(join(folder, 'data.tns'), '1 1 1\n2 2 2\n')
  const run = (fault: object) =>
    lacuna(['convert', 'data.tns', 'out.csv', '-q'], {
      ...{ cwd: folder, alone: true },
      env: { NODE_OPTIONS: `--require ${layer}`, TORTURE_FAULT: JSON.stringify({ ...fault, report }) },
    })
  expect((await run({ kind: 'kill', at: 1 })).code).toBeNull()
  const full = await run({ kind: 'error', code: 'ENOSPC', at: 1, stays: true })
  expect(full).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^lacuna: out.csv: there is no space left/),
  })
  expect((await run({ kind: 'short', seed: 3 })).code).toBe(0)
  rmSync(folder, { recursive: true })
})
