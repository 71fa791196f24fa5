/** A temporary folder per test file, with a small table, a tensor and a model of it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { lacuna, type Run } from './lacuna.ts'

/** Options of `complete` that learn a model of the tensor in a moment. */
export const TRAIN = ['--rank', '1', '--epochs', '20', '-q']

/** Returns the last field of each line of a CSV text. */
export const lastFields = (csv: string): (string | undefined)[] =>
  csv
    .trim()
    .split('\n')
    .map((line) => line.split(',').at(-1))

/** A temporary folder, and what tests do there. */
interface ExampleFolder {
  cwd: string
  /** Returns the path of a file in the folder. */
  file(name: string): string
  /** Reads a file in the folder. */
  text(name: string): string
  /** Runs the CLI in the folder. */
  run(...args: string[]): Promise<Run>
}

/** Registers hooks that create the folder with t.csv, t.tns and the model m.npz, and remove it at the end. */
export function exampleFolder(name: string): ExampleFolder {
  const cwd = mkdtempSync(join(tmpdir(), `lacuna-${name}-`))
  const file = (name: string): string => join(cwd, name)
  const text = (name: string): string => readFileSync(file(name), 'utf8')
  const run = (...args: string[]): Promise<Run> => lacuna(args, { cwd })
  beforeAll(async () => {
    const people = ['ann', 'bo', 'cy', 'di']
    const rows = people.flatMap((who, u) =>
      ['tea', 'jam', 'rye'].map(
        (what, i) => `${who},${what},2024-0${1 + ((u + i) % 3)}-15,${(u + 1) * (i + 1)}`,
      ),
    )
    writeFileSync(file('t.csv'), `who,what,when,rating\n${rows.join('\n')}\n`)
    writeFileSync(file('t.tns'), '1 1 1\n2 2 2\n1 2 3\n2 1 4\n')
    expect(await run('complete', 't.tns', ...TRAIN, '-o', 'm.npz')).toMatchObject({ code: 0 })
  })
  afterAll(() => rmSync(cwd, { recursive: true }))
  return { cwd, file, text, run }
}
