import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeNpy, encodeNpy } from '#lacuna/io/index.js'
import { readModel, readTensor, writeTensor } from '#lacuna/io/node/index.js'
import { split } from '#lacuna/tensor/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-convert-'))
const run = (...args: string[]) => lacuna(args, { cwd })
const file = (name: string) => join(cwd, name)
const text = (name: string) => readFileSync(file(name), 'utf8')
afterAll(() => rmSync(cwd, { recursive: true }))

const tensor = {
  dims: [2, 2, 4],
  indices: [
    Uint32Array.of(0, 1, 1, 0, 0, 1),
    Uint32Array.of(0, 0, 1, 0, 1, 1),
    Uint32Array.of(0, 1, 2, 3, 3, 3),
  ],
  values: Float32Array.of(1.5, 2, 3, 4, 5, 6),
  labels: [['ann', 'bob, jr'], ['', '01'], undefined],
  modes: [{ name: 'user' }, { name: 'code' }, { name: 'step' }],
}

beforeAll(async () => {
  await writeTensor(file('t.tns'), tensor)
  expect(
    await run('complete', 't.tns', '--rank', '2', '--epochs', '5', '-o', 'model.npz', '-q'),
  ).toMatchObject({ code: 0 })
})

describe('convert', () => {
  it('convert writes tables with labels, indices and values', async () => {
    expect(await run('convert', 't.tns', 't.csv')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 't.csv: 2×2×4, 6 entries\n',
    })
    expect(text('t.csv').split('\n').slice(0, 3)).toEqual([
      '"user","code","step","value"',
      '"ann","",1,1.5',
      '"bob, jr","",2,2',
    ])
    const back = await run(
      'convert',
      't.csv',
      'back.tns',
      '--modes',
      'user',
      'code',
      'raw:step',
      '--value',
      'value',
    )
    expect(back.code).toBe(0)
    const read = await readTensor(file('back.tns'))
    expect(read).toMatchObject({ dims: tensor.dims, labels: tensor.labels, values: tensor.values })
  })

  it('convert prints what a format cannot hold', async () => {
    const { stderr } = await run('convert', 't.tns', 't.npy')
    expect(stderr).toContain('Not kept: labels, for which .npy has no place.')
    expect(decodeNpy(readFileSync(file('t.npy')), 't.npy').shape).toEqual([2, 2, 4])
    writeFileSync(file('gap.tns'), '1 1 1\n3 2 1\n')
    expect((await run('convert', 'gap.tns', 'gap.csv')).stderr).toContain(
      'Not kept: 1 of 3 rows of mode 1, which have no entries.',
    )
  })

  it('convert writes the factors and the completed tensor of a model', async () => {
    expect((await run('convert', 'model.npz', 'factors.csv')).code).toBe(0)
    const [head, first, ...rest] = text('factors.csv').trim().split('\n')
    expect(head).toBe('"mode","index","label","component_1","component_2"')
    const model = await readModel(file('model.npz'), 'single')
    const [mode, index, label, ...components] = first.split(',')
    expect([mode, index, label]).toEqual(['"user"', '1', '"ann"'])
    expect(components.map(Number).map(Math.fround)).toEqual([...model.factors[0].subarray(0, 2)])
    expect(rest).toHaveLength(2 + 2 + 4 - 1)
    expect(rest.at(-1)).toMatch(/^"step",4,,/)
    expect((await run('convert', 'model.npz', 'all.npy')).code).toBe(0)
    const all = decodeNpy(readFileSync(file('all.npy')), 'all.npy')
    expect(all).toEqual({ shape: [2, 2, 4], data: model.slice([null, null, null]).values })
  })

  it('convert takes a mask of a dense array', async () => {
    writeFileSync(file('d.npy'), encodeNpy({ shape: [2, 2], data: Int32Array.of(1, 2, 3, 4) }))
    writeFileSync(file('mask.npy'), encodeNpy({ shape: [2, 2], data: Uint8Array.of(1, 0, 0, 1) }))
    expect((await run('convert', 'd.npy', 'd.tns', '--mask', 'mask.npy')).code).toBe(0)
    expect(text('d.tns')).toBe('1 1 1\n2 2 4\n')
    expect((await run('info', 'd.npy', '--mask', 'mask.npy', '--json')).stdout).toContain('"entries": 2')
  })

  it.each([
    [
      ['model.npz', 'x.tns'],
      'model.npz: this is a model; write its factors to .csv, .tsv or .json, or every value of it to .npy.',
    ],
    [['t.tns', 'x.xlsx'], 'x.xlsx: the ending is not that of a tensor file'],
    [['cut.npz', 'x.tns'], 'cut.npz: the zip file is truncated or damaged'],
    [['t.tns', 'x.npy', '--dims', '2x2x4000000000'], 'would take 60 GiB, more than 16'],
    [['t.tns', 'x.csv', '--mask', 'mask.npy'], 't.tns: a mask goes with a dense array'],
  ])('convert %j is refused in one sentence and leaves no file', async (args, message) => {
    writeFileSync(file('cut.npz'), readFileSync(file('model.npz')).subarray(0, 200))
    const { code, stderr } = await run('convert', ...args)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
    expect(readdirSync(cwd).filter((name) => name.startsWith('x.') || name.startsWith('.'))).toEqual([])
  })
})

describe('split', () => {
  it('split holds out the entries that complete holds out, and keeps sizes and labels', async () => {
    await run('synth', ...'--dims 30x20x10 --entries 2000 --rank 2 --seed 1 -o s.tns -q'.split(' '))
    expect(
      (await run('split', 's.tns', ...'--test 0.1 --validation 0.2 --seed 5 -o s'.split(' '))).code,
    ).toBe(0)
    const parts = split(await readTensor(file('s.tns')), { test: 0.1, validation: 0.2 }, 5)
    for (const part of ['train', 'validation', 'test'] as const)
      expect(await readTensor(file(`s.${part}.tns`))).toEqual(parts[part])
    const settings = '--rank 2 --epochs 3 --seed 5 --json -q'.split(' ')
    const shares = await run('complete', 's.tns', '--validation', '0.2', '--test', '0.1', ...settings)
    const files = await run(
      'complete',
      's.train.tns',
      '--validation',
      's.validation.tns',
      '--test',
      's.test.tns',
      ...settings,
    )
    expect(JSON.parse(files.stdout).test).toEqual(JSON.parse(shares.stdout).test)
  })

  it('split divides by time and by last entry, into other formats', async () => {
    const time = await run(
      'split',
      't.tns',
      ...'--test 0.4 --by time --format csv -o late --json -q'.split(' '),
    )
    expect(JSON.parse(time.stdout)).toMatchObject({
      train: { entries: 4 },
      test: { file: 'late.test.csv', entries: 2 },
    })
    expect(
      text('late.test.csv')
        .trim()
        .split('\n')
        .slice(1)
        .every((line) => line.split(',').at(-2) === '4'),
    ).toBe(true)
    expect(
      (await run('split', 't.tns', ...'--by last --time step -o last --format npz'.split(' '))).code,
    ).toBe(0)
    const last = await readTensor(file('last.test.npz'))
    expect(last).toMatchObject({ dims: tensor.dims, labels: tensor.labels, modes: tensor.modes })
    expect([...last.indices[0]]).toEqual([0, 1])
    expect([...last.indices[2]]).toEqual([3, 3])
    expect(existsSync(file('last.validation.npz'))).toBe(false)
  })

  it.each([
    [['t.tns', '-o', 'y'], 'There is nothing to hold out'],
    [['t.tns', '--test', '0.1', '--time', '1', '-o', 'y'], '--time goes with --by time or --by last.'],
    [
      ['t.tns', '--test', '0.1', '--by', 'time', '--time', 'day', '-o', 'y'],
      "--time names mode 'day'; there are user, code, step, or 1 to 3.",
    ],
    [['t.tns', '--test', '0.1', '--format', 'xls', '-o', 'y'], '--format xls: give one of tns'],
  ])('split %j is refused', async (args, message) => {
    const { code, stderr } = await run('split', ...args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
    expect(readdirSync(cwd).filter((name) => name.startsWith('y.'))).toEqual([])
  })
})

describe('predict', () => {
  it('predict answers the rows of a table, counts unknown labels, and prints errors', async () => {
    writeFileSync(file('q.csv'), 'code,user,step,value\n01,"bob, jr",3,3\n"",ann,1,1.5\n01,eve,1,1\n')
    const { code, stdout, stderr } = await run('predict', 'model.npz', 'q.csv', '--value', 'value')
    expect(code).toBe(0)
    const model = await readModel(file('model.npz'), 'single')
    const lines = stdout.trim().split('\n')
    expect(lines[0]).toBe('code,user,step,value,prediction')
    expect(Number(lines[1].split(',').at(-1))).toBeCloseTo(model.predict([1, 1, 2]), 4)
    expect(Number(lines[2].split(',').at(-1))).toBeCloseTo(model.predict([0, 0, 0]), 4)
    expect(lines[3]).toBe('01,eve,1,1,')
    expect(stderr).toContain('1 row has a label that the model does not know, and gets no prediction.')
    expect(stderr).toContain('Against the values given: relative error')
    const json = await run('predict', 'model.npz', 'q.csv', '--fallback', 'mean', '--json', '-q')
    expect(
      json.stdout
        .trim()
        .split('\n')
        .map((line) => typeof JSON.parse(line).prediction),
    ).toEqual(Array(3).fill('number'))
  })

  it('convert --compact writes a smaller model, and prints its error', async () => {
    for (const kind of ['float16', 'int8']) {
      const { code, stderr } = await run('convert', 'model.npz', `${kind}.npz`, '--compact', kind)
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(
          new RegExp(
            `^${kind}\\.npz: [\\d.]+ \\w+; at 16 random cells, predictions differ by [\\d.e-]+ \\(RMS\\), [\\d.]+% of`,
          ),
        ),
      })
      expect((await run('predict', `${kind}.npz`, 't.tns')).code).toBe(0)
    }
    for (const args of [
      ['t.tns', 'x.npz'],
      ['model.npz', 'x.csv'],
    ])
      expect(await run('convert', ...args, '--compact', 'int8')).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/--compact makes a model file of another one/),
      })
  })
})
