/** Scientific files on the command line: from the list of their arrays to a model, and back to files. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTensor } from '#lacuna/io/node/index.js'
import { lacuna } from './lacuna.ts'

const files = fileURLToPath(new URL('../lacuna/io/science/files/', import.meta.url))
const cwd = mkdtempSync(join(tmpdir(), 'lacuna-science-cli-'))
const run = (...args: string[]) => lacuna(args, { cwd })
afterAll(() => rmSync(cwd, { recursive: true }))
beforeAll(() => {
  for (const name of readdirSync(files)) copyFileSync(join(files, name), join(cwd, name))
})

describe('scientific files', () => {
  it('info lists the arrays of a file, and describes the one that it takes, as the docs say', async () => {
    const { code, stdout, stderr } = await run('info', 'era.nc')
    expect(code).toBe(0)
    const docs = readFileSync(new URL('../../docs/formats.md', import.meta.url), 'utf8')
    const [, list] = /\$ lacuna info era\.nc\n([\s\S]*?) {4}…/.exec(docs) ?? []
    expect(stdout.startsWith(list.replace(/^ {4}/gm, ''))).toBe(true)
    expect(stdout).toContain('1  time  3 labels: 2014-01-29 16:00:00 … 2014-01-30 04:00:00')
    expect(stdout).toMatch(/complete era\.nc -o model\.npz/)
    expect(stderr).toContain('era.nc: takes t2m (time × lat × station: 3 × 4 × 5, int16)')
    const commands = [
      ...docs.matchAll(/^ {4}lacuna (.*era\.nc .*)$/gm),
      ...docs.matchAll(/^ {4}lacuna (.*era\.nc t2m\.npz)$/gm),
    ]
    expect(new Set(commands.map(([, command]) => command)).size).toBe(2)
    for (const [, command] of commands)
      expect({ command, ...(await run(...command.split(' '))) }).toMatchObject({ command, code: 0 })
  })

  it('info ends with the list where it is not clear which array is meant; complete refuses', async () => {
    const list = await run('info', 'several.mat')
    expect(list.code).toBe(0)
    expect(list.stdout).toMatch(/\nB +4 × 5 +int16/)
    expect(list.stdout).toContain('choose one, as by --variable A.')
    const json = JSON.parse((await run('info', 'several.mat', '--json')).stdout)
    expect(json.variables.map(({ name }: { name: string }) => name)).toEqual(['A', 'B', 'Z'])
    expect(await run('complete', 'several.mat', '-o', 'm.npz')).toMatchObject({ code: 2 })
    expect(existsSync(join(cwd, 'm.npz'))).toBe(false)
  })

  it('complete, evaluate and predict take arrays, sheets and Arrow', async () => {
    const fast = ['--rank', '1', '--epochs', '5', '-q']
    expect(await run('complete', 'era.nc', '--variable', 't2m', ...fast, '-o', 'era.npz')).toMatchObject({
      code: 0,
    })
    const { stdout } = await run('evaluate', 'era.npz', '--test', 'era.nc', '--json', '-q')
    expect(JSON.parse(stdout)[0].entries).toBe(58)
    const sheet = ['--modes', 'a', 'b', '--value', 'v', '--sheet', 'Other']
    expect(await run('complete', 'book.xlsx', ...sheet, ...fast, '-o', 'book.npz')).toMatchObject({ code: 0 })
    const answers = await run('predict', 'book.npz', 'book.xlsx', '--sheet', 'Other', '-q')
    expect(answers.stdout).toMatch(/^a,b,v,prediction\np,q,1,[\d.]+\np,r,2,/)
    const levels = ['--modes', 'site', 'code', 'day', '--value', 'level']
    expect(await run('complete', 'lz4.arrow', ...levels, ...fast, '-o', 'levels.npz')).toMatchObject({
      code: 0,
    })
  })

  it('convert goes from one to the other and back without loss', async () => {
    const before = await readTensor(join(cwd, 'era.nc'))
    for (const [from, to] of [
      ['era.nc', 'a.h5'],
      ['a.h5', 'b.nc'],
      ['b.nc', 'c.npz'],
    ])
      expect(await run('convert', from, to, '-q')).toMatchObject({ code: 0 })
    expect(await readTensor(join(cwd, 'c.npz'))).toEqual(before)
    const modes = ['--modes', 'time', 'lat', 'station', '--value', 't2m']
    expect(await run('convert', 'c.npz', 'd.feather', '-q')).toMatchObject({ code: 0 })
    expect(await run('convert', 'd.feather', 'e.npz', ...modes, '-q')).toMatchObject({ code: 0 })
    expect((await readTensor(join(cwd, 'e.npz'))).values.length).toBe(58)
    expect(await run('split', 'era.nc', '--test', '0.2', '-o', 'part', '-q')).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, 'part.test.npz'))).toBe(true)
    expect(await run('fill', 'data.zarr.zip', '--variable', 'x', '-o', 'filled.npy', '-q')).toMatchObject({
      code: 0,
    })
  })

  it.each([
    ['truncated', 'era.nc', [], 'this is no whole HDF5 file'],
    ['truncated', 'plain.mat', [], 'this is no whole MATLAB file'],
    ['truncated', 'book.xlsx', [], 'this is not a whole .xlsx workbook'],
    ['truncated', 'lz4.arrow', [], 'this is no whole Arrow file or stream'],
    ['truncated', 'data.zarr.zip', [], 'this is no whole zip file'],
    ['hostile', 'hostile.h5', ['--variable', 'virtual'], 'which Lacuna does not open'],
    ['too large', 'hostile.h5', ['--variable', 'huge'], 'fit in memory here'],
    ['classic', 'classic.nc', [], 'nccopy -k nc4'],
    ['a table', 'book.xlsx', ['--variable', 'x'], 'this is a table, so that --variable means nothing'],
    ['an array', 'era.nc', ['--modes', 'a', 'b'], 'this is no table, so that --modes means nothing'],
  ])('refuses in one sentence what is %s: %s %j', async (what, name, options, why) => {
    const path = what === 'truncated' ? `cut-${name}` : name
    if (path !== name) {
      const bytes = readFileSync(join(files, name))
      writeFileSync(join(cwd, path), bytes.subarray(0, Math.floor(bytes.length / 2)))
    }
    const { code, stderr } = await run('complete', path, ...options, '-o', 'none.npz', '-q')
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 2, lines: 1 })
    expect(stderr).toContain(why)
    expect(existsSync(join(cwd, 'none.npz'))).toBe(false)
  })
})
