/**
 * The same entries give the same model file, in whatever order and format they are read: each command reads
 * the forms of forms.ts in turn; LACUNA_FORMS=all runs every command on every form.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forms, type Row, shuffleRows, writeForm } from './forms.ts'
import { lacuna } from './lacuna.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-forms-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

const USERS = ['ann', 'Bo', 'ärne', '日本', 'x, "y"', 'zoe', '12', 'eve', '-', 'Ann']
const DAYS = ['2024-01-01', '2024-01-02', '2024-01-05', '2024-02-01', '2023-12-31', '2024-03-01']

/** Rows of the table, without equal coordinates; a seed chooses which cells are listed. */
function rowsOf(users: readonly string[], seed: number): Row[] {
  const rows: Row[] = []
  users.forEach((user, u) => {
    for (let item = 0; item < 8; item++)
      DAYS.forEach((day, d) => {
        const hash = (u * 7919 + item * 104729 + d * 1299709 + u * item * 31 + item * d * 17 + seed) % 1009
        if (hash % 5 > 1) return
        const value = (1 + (u % 3)) * (1 + ((item * 0.37) % 1)) * (1 + d * 0.21) + (hash % 13) / 7
        rows.push([user, 3 * item ** 2 + 1, day, Number(value.toFixed(4))])
      })
  })
  return shuffleRows(rows, seed)
}

const rows = rowsOf(USERS, 0)
/** Entries of known and of new users. */
const more = rowsOf(['ann', 'neu', 'Bo', 'aaa', 'ärne'], 3)

/** The form that the others are compared with, and these. */
const [first, ...others] = Object.keys(forms)

/** A command that reads a form: its arguments, given the files and options of the form. */
type Command = (
  files: readonly string[],
  options: readonly string[],
  output: string,
  form: string,
) => string[]

const complete =
  (...settings: string[]): Command =>
  (files, options, output) => [
    'complete',
    ...files,
    ...options,
    '-o',
    output,
    '--seed',
    '3',
    '-q',
    ...settings,
  ]

/** A command, and what it reads: `rows` by default. */
interface Case {
  args: Command
  rows?: readonly Row[]
  /** Whether it reads a single file. */
  oneFile?: true
  /** Whether it takes long, and runs with LACUNA_FORMS=all only. */
  isLong?: true
}

/** The commands by name. */
const commands: Readonly<Record<string, Case>> = {
  complete: { args: complete('--rank', '3', '--epochs', '8') },
  'complete --validation --test': {
    args: complete('--rank', '3', '--epochs', '8', '--validation', '0.1', '--test', '0.2'),
  },
  'complete --folds': { args: complete('--rank', '2', '--folds', '3', '--epochs', '8') },
  'complete --folds --fold-by': {
    args: complete('--rank', '2', '--folds', '2', '--epochs', '8', '--fold-by', 'user', '--ordered', 'day'),
  },
  'complete --rank auto': { args: complete('--rank', 'auto', '--epochs', '1', '--folds', '2'), isLong: true },
  'complete --best': { args: complete('--best', '--epochs', '3', '--folds', '2') },
  'complete --features --lags': {
    args: (files, options, output, form) => {
      const table = form === first ? 'items.csv' : 'items-reversed.csv'
      const settings = ['--features', `item=${table}:kind,price`, '--lags', 'day=1', '--choose']
      return complete('--rank', '2', '--epochs', '8', ...settings)(files, options, output, form)
    },
  },
  fold: {
    args: (files, options, output) => [
      'fold',
      at('base.npz'),
      ...files,
      ...readingOptions(options),
      '-o',
      output,
    ],
    rows: more,
  },
  update: {
    args: (files, options, output) => [
      'update',
      at('base.npz'),
      ...files,
      ...readingOptions(options),
      '-o',
      output,
    ],
    rows: more,
  },
  evaluate: {
    args: ([file], options) => [
      'evaluate',
      at('base.npz'),
      at('folds.npz'),
      '--test',
      file,
      '--json',
      ...readingOptions(options),
    ],
    oneFile: true,
  },
}

/** The options of a form without --threads, which commands that do not learn lack. */
const readingOptions = (options: readonly string[]): string[] =>
  options.filter((option, i) => option !== '--threads' && options[i - 1] !== '--threads')

/** All members of a model file as text or bytes, without the seconds that its training took. */
function contentOf(path: string): Record<string, unknown> {
  const members = Object.entries(unzipSync(readFileSync(path)))
  return Object.fromEntries(
    members.map(([name, bytes]) => [
      name,
      name.endsWith('.json')
        ? JSON.parse(Buffer.from(bytes).toString(), (key, value) => (key === 'seconds' ? 0 : value))
        : Buffer.from(bytes).toString('base64'),
    ]),
  )
}

/** Runs a command on a form and returns what it wrote: the content of its model, and its output. */
async function resultOf(command: string, form: string): Promise<unknown> {
  const { args, rows: read = rows } = commands[command]
  const { files, options } = await writeForm(form, folder, command.replaceAll(/\W+/g, '-'), read)
  const output = at('result.npz')
  const run = await lacuna(args(files, options, output, form), { cwd: folder })
  expect(run, `${command} of ${form}`).toMatchObject({ code: 0 })
  if (command === 'evaluate') return JSON.parse(run.stdout)
  const content = contentOf(output)
  rmSync(output)
  return content
}

beforeAll(async () => {
  const items = [...new Set(rows.map(([, item]) => item))].map(
    (item) => `${item},${'abc'[item % 3]},${item % 7}`,
  )
  writeFileSync(at('items.csv'), ['item,kind,price', ...items].join('\n'))
  writeFileSync(at('items-reversed.csv'), ['item,kind,price', ...items.reverse()].join('\n'))
  const csv = await writeForm('csv', folder, 'base', rows)
  for (const [name, settings] of [
    ['base.npz', ['--rank', '3', '--epochs', '8']],
    ['folds.npz', ['--rank', '2', '--folds', '2', '--epochs', '4']],
  ] as const) {
    const run = await lacuna(complete(...settings)(csv.files, csv.options, at(name), first), { cwd: folder })
    expect(run).toMatchObject({ code: 0 })
  }
})

const isAll = process.env.LACUNA_FORMS === 'all'
let compared = 0

const names = Object.keys(commands).filter((command) => isAll || !commands[command].isLong)

test.each(names.map((command, i) => ({ command, i })))(
  '$command gives the same result from every form of its input',
  async ({ command, i }) => {
    const { oneFile } = commands[command]
    const possible = others.filter((form) => !(oneFile && form.includes('files')))
    const read = isAll ? possible : possible.filter((_, f) => f % names.length === i)
    const expected = await resultOf(command, first)
    for (const form of read) {
      expect(await resultOf(command, form), `${command} of ${form}`).toEqual(expected)
      compared++
    }
  },
  600_000,
)

afterAll(() => {
  if (isAll) console.log(`${compared} forms gave the same result as the first.`)
})
