/** --link on the command line. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readModel, readTensor } from '#lacuna/io/node/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-link-'))
const file = (name: string): string => join(cwd, name)
afterAll(() => rmSync(cwd, { recursive: true }))

beforeAll(() => {
  const lines: string[] = []
  for (let shop = 1; shop <= 12; shop++)
    for (let item = 1; item <= 10; item++)
      for (let day = 1; day <= 9; day++) {
        const hash = (shop * 7919 + item * 104729 + day * 1299709 + shop * item * 31) % 101
        if (hash < 70)
          lines.push(`${shop} ${item} ${day} ${Math.round(shop * item * day * (0.7 + hash / 120))}`)
      }
  writeFileSync(file('sales.tns'), `${lines.join('\n')}\n`)
  writeFileSync(file('more.tns'), '13 1 1 40\n13 2 1 80\n13 1 3 120\n')
  writeFileSync(file('negative.tns'), '1 1 1 3\n2 1 1 -4\n1 2 2 5\n')
})

it('--link learns on square roots and reports errors in the units of the values', async () => {
  const { code, stdout, stderr } = await lacuna(
    ['complete', 'sales.tns', '--rank', '2', '--link', 'sqrt', '--test', '0.2', '--json', '-o', 'm.npz'],
    { cwd },
  )
  expect(code).toBe(0)
  expect(stderr).toContain('on square roots')
  const report = JSON.parse(stdout)
  expect(report.settings.link).toBe('sqrt')
  // The mean of the values is above 100, that of the roots about 10.
  expect(report.train.rmse).toBeGreaterThan(2 * report.epochs.at(-1).train.rmse)
  expect(report.test.rmse).toBeLessThan(0.3 * report.meanOnTest.rmse)
  const model = await readModel(file('m.npz'), 'single')
  expect(model.link?.name).toBe('sqrt')
  expect(model.training).toMatchObject({ link: 'sqrt', train: report.train, test: report.test })
})

it('fold, update, predict and convert of a model with a link are in the units of the values', async () => {
  const before = await readModel(file('m.npz'), 'single')
  for (const args of [
    ['fold', 'm.npz', 'more.tns', '-o', 'folded.npz'],
    ['update', 'm.npz', 'more.tns', '--data', 'sales.tns', '-o', 'updated.npz'],
    ['update', 'm.npz', 'more.tns', '-o', 'moved.npz'],
    ['convert', 'm.npz', 'all.npy'],
  ]) {
    const { code, stderr } = await lacuna([...args, '-q'], { cwd })
    expect({ code, stderr }).toMatchObject({ code: 0 })
  }
  for (const name of ['folded.npz', 'updated.npz', 'moved.npz']) {
    const model = await readModel(file(name), 'single')
    expect(model.link?.name).toBe('sqrt')
    expect(model.predict([12, 1, 0]) / 80).toBeGreaterThan(0.5)
    expect(model.predict([12, 1, 0]) / 80).toBeLessThan(2)
  }
  const all = await readTensor(file('all.npy'))
  const cell = all.indices.map((column) => column[517])
  expect(all.values[517] / before.predict(cell)).toBeCloseTo(1, 5)
})

it('components of a model with a link are said to be on its scale', async () => {
  const { stdout, stderr } = await lacuna(['components', 'm.npz', '--html', 'm.html', '--json'], { cwd })
  expect(stderr).toContain('The model was learned on square roots: its components')
  expect(JSON.parse(stdout).components).toHaveLength(2)
  expect(readFileSync(file('m.html'), 'utf8')).toContain('their sum on square roots.')
})

it('--link refuses other names, negative values, zeros of missing cells and a model of another link', async () => {
  const learn = ['complete', 'sales.tns', '--rank', '2', '--seconds', '0.001', '-q']
  const refused = async (args: string[]): Promise<string> => {
    const { code, stderr } = await lacuna(args, { cwd })
    expect(code).toBe(2)
    return stderr.trim()
  }
  expect(await refused([...learn, '--link', 'cube'])).toContain("'cube' is invalid")
  expect(await refused([...learn, '--link', 'sqrt', '--missing', 'zero'])).toBe(
    'lacuna: --missing zero does not go with --link sqrt, under which cells without an entry would be predicted above zero; leave one of them out.',
  )
  const negative = ['complete', 'negative.tns', '--negative', 'keep', '--rank', '1', '--link', 'log1p', '-q']
  expect(await refused(negative)).toBe(
    'lacuna: --link log1p needs values from 0, and there is -4; leave it out, or set negative values to zero (--negative clip).',
  )
  expect(await refused([...learn, '--initial', 'm.npz', '--link', 'log1p'])).toBe(
    'lacuna: The initial model was learned with --link sqrt, and now it is log1p; leave --link out to go on as it was.',
  )
})
