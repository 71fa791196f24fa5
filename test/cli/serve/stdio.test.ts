/** `lacuna serve --stdio`: each line of stdin is answered by a line of stdout, as over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '#lacuna/base/waits.js'
import { type CpModel, readModel } from '#lacuna/index.js'
import { lacuna } from '../lacuna.ts'
import { makeFolder, writeFilms } from './served.ts'

const MAIN = fileURLToPath(new URL('../../../packages/cli/dist/lacuna.js', import.meta.url))
const folder = makeFolder()
const file = join(folder, 'films.npz')

/** An answer, or the error in place of it. */
interface Answer {
  rows?: object[]
  components?: object[]
  models?: object[]
  newRows?: object
  output?: string
  error?: string
}

/** A line of the process. */
interface Line {
  id?: string | number
  answer?: Answer
  error?: string
  progress?: string
  notice?: string
  ready?: { models: string[]; protocol: number }
}

/** A process that a test has started. */
class Stdio {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  readonly #lines: AsyncIterator<string>
  stderr = ''
  #last = 0

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [MAIN, 'serve', '--stdio', ...args], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    processes.add(this.child)
    this.child.stderr!.on('data', (data) => {
      this.stderr += data
    })
    this.#lines = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]()
    this.ended = waitFor('the end of lacuna serve --stdio', (resolve) => this.child.on('close', resolve))
  }

  /** The next line of stdout. */
  async next(): Promise<Line> {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`lacuna serve --stdio has ended: ${this.stderr}`)
    return JSON.parse(value)
  }

  /** Writes text to stdin, and returns the next line of stdout. */
  send(text: string | Uint8Array): Promise<Line> {
    this.child.stdin!.write(text)
    return this.next()
  }

  /** Asks, and returns the answer, after the lines of progress. */
  async ask(operation: string, request?: object, model?: string): Promise<Answer> {
    const id = ++this.#last
    let line = await this.send(`${JSON.stringify({ id, operation, request, model })}\n`)
    while (line.progress !== undefined || line.notice !== undefined) line = await this.next()
    expect(line.id).toBe(id)
    return line.answer ?? { error: line.error }
  }

  /** Ends stdin; returns the exit code. */
  end(): Promise<number | null> {
    this.child.stdin!.end()
    return this.ended
  }
}

const processes = new Set<ChildProcess>()
let stdio: Stdio
let model: CpModel

beforeAll(async () => {
  await writeFilms(folder)
  model = await readModel(file, 'single')
  stdio = new Stdio([file, '--max-body', '200000'])
  expect(await stdio.next()).toEqual({
    ready: { version: expect.stringMatching(/^\d/), protocol: 1, models: ['films'] },
  })
}, 60_000)
afterAll(async () => {
  await stdio.end()
  for (const child of processes) child.kill('SIGKILL')
})

describe('answers', () => {
  it('are those of the library, of cells as objects, indices and columns', async () => {
    const cells = [
      { user: 'u1', film: 'f2' },
      { user: 'u29', film: 'f19' },
    ]
    const predictions = cells.map((cell) => Math.fround(model.predict(cell)))
    const columns = { user: ['u1', 'u29'], film: ['f2', 'f19'] }
    expect(await stdio.ask('predict', { cells })).toEqual({ predictions })
    expect(await stdio.ask('predict', { cells: columns }, 'films')).toEqual({ predictions })
    expect(await stdio.ask('predict', { cells: [[0, 1]] })).toEqual({
      predictions: [Math.fround(model.predict([0, 1]))],
    })
    expect(
      await stdio.ask('predict', { cells: { user: ['nobody', 'u1'], film: ['f2', 'f2'] }, unknown: 'null' }),
    ).toEqual({ predictions: [null, predictions[0]] })
    expect((await stdio.ask('top', { of: 'film', for: { user: 'u1' }, n: 3 })).rows).toEqual(
      JSON.parse(JSON.stringify(model.top({ of: 'film', for: { user: 'u1' }, n: 3 }))),
    )
    expect((await stdio.ask('similar', { mode: 'film', label: 'f3', n: 2 })).rows).toHaveLength(2)
    expect((await stdio.ask('components', { strongest: 1 })).components).toHaveLength(3)
    expect((await stdio.ask('models')).models).toEqual([await stdio.ask('model')])
  })

  it('to entries in columns are those to entries as objects', async () => {
    const rows = [
      { user: 'eve', film: 'f3', stars: 5 },
      { user: 'eve', film: 'f4', stars: 2 },
    ]
    const columns = { user: ['eve', 'eve'], film: ['f3', 'f4'], stars: [5, 2] }
    const cells = { user: ['eve'], film: ['f1'] }
    const answer = await stdio.ask('fold-in', { entries: columns, cells })
    expect(answer.newRows).toEqual({ user: ['eve'] })
    expect(answer).toEqual(await stdio.ask('fold-in', { entries: rows, cells }))
    const known = { user: ['u1', 'u2'], film: ['f2', 'f3'], stars: [3, 1] }
    expect(await stdio.ask('evaluate', { entries: known })).toMatchObject({ entries: 2, unknown: 0 })
  })

  it('models are opened, updated, read again and closed', async () => {
    const path = join(folder, 'more.npz')
    copyFileSync(file, path)
    expect(await stdio.ask('open', { path })).toMatchObject({ name: 'more', updates: 0, isReadOnly: false })
    expect((await stdio.ask('open', { path })).error).toMatch(/There is a model "more" already/)
    const entries = { user: ['eve'], film: ['f3'], stars: [5] }
    expect((await stdio.ask('top', { of: 'film' })).error).toMatch(/top needs a "model"/)
    expect(await stdio.ask('update', { entries }, 'more')).toEqual({
      ...{ sequence: 1, entries: 1, newRows: { user: ['eve'] } },
    })
    expect(await stdio.ask('model', {}, 'more')).toMatchObject({ updates: 1 })
    expect(await stdio.ask('reload', {}, 'more')).toMatchObject({ updates: 1 })
    expect(await stdio.ask('close', {}, 'more')).toEqual({})
    expect(existsSync(join(folder, 'more.updates.lock'))).toBe(false)
    expect((await stdio.ask('model', {}, 'more')).error).toMatch(/There is no model "more"/)
    expect(await stdio.ask('open', { path, name: 'again', readOnly: true })).toMatchObject({
      ...{ name: 'again', updates: 1, isReadOnly: true },
    })
    expect((await stdio.ask('update', { entries }, 'again')).error).toMatch(/takes no updates/)
    await stdio.ask('close', {}, 'again')
    writeFileSync(join(folder, 'half.npz'), readFileSync(file).subarray(0, 1000))
    expect((await stdio.ask('open', { path: join(folder, 'half.npz') })).error).toMatch(/half\.npz/)
  })

  it('commands run within the process, with progress, and their output is the answer', async () => {
    writeFileSync(join(folder, 'table.csv'), 'a,b,v\nx,1,1\nx,2,2\ny,1,2\ny,2,4\nz,1,3\n')
    const args = [
      'complete',
      'table.csv',
      '--modes',
      'a',
      'b',
      '--value',
      'v',
      '--rank',
      '1',
      '-o',
      'table.npz',
    ]
    const first = await stdio.send(
      `${JSON.stringify({ id: 'c', operation: 'command', request: { args } })}\n`,
    )
    expect(first).toEqual({ id: 'c', notice: expect.stringContaining('3×2, 5 entries') })
    let line = first
    const kinds = new Set<string>()
    while (line.answer === undefined) {
      for (const key of Object.keys(line)) kinds.add(key)
      line = await stdio.next()
    }
    expect([...kinds].sort()).toEqual(['id', 'notice', 'progress'])
    expect(line.answer.output).toContain('The model is in table.npz.')
    const json = await stdio.ask('command', {
      args: ['predict', 'table.npz', '--at', 'a=z', 'b=2', '--json'],
    })
    const { stdout } = await lacuna(['predict', 'table.npz', '--at', 'a=z', 'b=2', '--json'], { cwd: folder })
    expect(json.output).toBe(stdout)
    for (const [wrong, message] of [
      [['complete', 'none.csv'], /none\.csv: there is no such file/],
      [['complete', 'table.csv', '--nope'], /unknown option '--nope'/],
      [['complete', 'table.csv', '--rank', '0'], /--rank|rank/],
      [['serve', 'films.npz'], /cannot be run within this process/],
      [['convert', '-', 'x.npz'], /stdin and stdout carry requests/],
    ] as const)
      expect((await stdio.ask('command', { args: wrong })).error).toMatch(message)
  })
})

describe('lines that are wrong', () => {
  it.each<[string, string | Uint8Array, RegExp | string, unknown?]>([
    ['no JSON', 'garbage\n', 'The line is not JSON.'],
    ['no object', '[1]\n', 'The line must be an object.'],
    ['no operation', '{"id": 1}\n', 'The line has no "operation", which is required.', 1],
    [
      'an unknown operation',
      '{"id": "a", "operation": "__proto__"}\n',
      /no operation "__proto__"; there are predict/,
      'a',
    ],
    ['an unknown property', '{"id": 2, "operation": "models", "x": 1}\n', /unknown property "x"/, 2],
    [
      'a request that is none',
      '{"id": 3, "operation": "top", "request": []}\n',
      'The request must be an object.',
      3,
    ],
    [
      'columns of different lengths',
      '{"id": 4, "operation": "predict", "request": {"cells": {"user": ["u1"], "film": []}}}\n',
      /column user has 1 items, but film has 0/,
      4,
    ],
    [
      'a cell of a wrong kind',
      '{"id": 5, "operation": "predict", "request": {"cells": [{"user": null}]}}\n',
      'The body.cells[0].user must be a text or a number or true or false.',
      5,
    ],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22, 10), 'The line is not UTF-8.'],
    ['too many bytes', `"${'x'.repeat(300_000)}"\n`, /more than the 200000 bytes/],
  ])('with %s are answered by a sentence', async (_, text, message, id) => {
    expect(await stdio.send(text)).toEqual({
      ...(id !== undefined && { id }),
      error: typeof message === 'string' ? message : expect.stringMatching(message),
    })
    expect((await stdio.ask('models')).models).toHaveLength(1)
  })
})

describe('the process', () => {
  it('ends with stdin, also with the last line half written, and in the middle of a command that nobody waits for', async () => {
    const idle = new Stdio([])
    expect((await idle.next()).ready?.models).toEqual([])
    expect(await idle.send('\n\n{"operation": "models"}\n')).toEqual({ answer: { models: [] } })
    idle.child.stdin!.write('{"operation": "mod')
    idle.child.stdin!.end()
    expect(await idle.next()).toEqual({ error: 'The line is not JSON.' })
    expect(await idle.ended).toBe(0)
    const piped = await lacuna(['serve', '--stdio', '-q'], {
      input:
        '{"operation": "command", "request": {"args": ["synth", "--dims", "9x8", "--entries", "50", "-o", "piped.tns"]}}\n'.replace(
          'piped.tns',
          join(folder, 'piped.tns'),
        ),
    })
    expect([piped.code, piped.stdout]).toEqual([0, expect.stringMatching(/"answer":\{"output"/)])
    const busy = new Stdio(['--quiet'])
    await busy.next()
    await lacuna(['synth', '--dims', '200x100', '--entries', '5000', '--rank', '5', '-o', 'long.tns'], {
      cwd: folder,
    })
    const args = 'complete long.tns --epochs 1000000 --tolerance 0 --prior isotropic -o long.npz'.split(' ')
    let line = await busy.send(`${JSON.stringify({ operation: 'command', request: { args } })}\n`)
    while (line.progress === undefined) line = await busy.next()
    // The requests before the end of stdin are answered, unless nobody reads the answers any more.
    busy.child.stdin!.end()
    busy.child.stdout!.destroy()
    await busy.ended
    expect(busy.stderr.split('\n').filter((text) => text.includes('"error"'))).toEqual([])
  })

  it('refuses a file that is no model, and serving nothing over HTTP', async () => {
    const none = await lacuna(['serve', '--stdio', join(folder, 'none.npz')], { input: '' })
    expect([none.code, none.stderr]).toEqual([2, expect.stringMatching(/none\.npz/)])
    const nothing = await lacuna(['serve'], { alone: true })
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringMatching(/Which model is to be served/)])
  })
})
