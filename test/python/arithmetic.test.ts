/** The NumPy of docs/formats.md computes what `lacuna predict` does, from the arrays of model files alone. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { CpEnsemble } from '#lacuna/folds.js'
import { complete, readModel, readTensor, writeModel } from '#lacuna/index.js'
import { lacuna } from '../cli/lacuna.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-arithmetic-'))
afterAll(() => rmSync(folder, { recursive: true }))

const page = readFileSync(fileURLToPath(new URL('../../docs/formats.md', import.meta.url)), 'utf8')
const [, program] = /```python\n(import itertools[\s\S]*?)```/.exec(page)!

/** Predicts all queries by the program of the page. */
function predictByNumPy(model: string): number[] {
  writeFileSync(
    join(folder, 'check.py'),
    `${program}\nimport csv, sys\nrows = [[int(x) - 1 for x in row] for row in list(csv.reader(open('queries.csv')))[1:]]\nprint(json.dumps(predict(sys.argv[1], np.array(rows)).tolist()))\n`,
  )
  return JSON.parse(execFileSync('/usr/bin/python3', ['check.py', model], { cwd: folder, encoding: 'utf8' }))
}

const dims = [6, 24, 5]
beforeAll(() => {
  const key = stream(7, 1)
  let drawn = 0
  const random = (): number => unit(draw(key, drawn++))
  const lines: string[] = []
  const queries: string[] = []
  for (let i = 1; i <= dims[0]; i++)
    for (let j = 1; j <= dims[1]; j++)
      for (let k = 1; k <= dims[2]; k++) {
        const value = (1 + i) * (2 + Math.sin((j * Math.PI) / 4)) * (1 + 0.3 * k)
        // Noise that neighbouring hours share, so that the correction by neighbours helps.
        const drift = 1 + 0.5 * Math.sin(j / 2 + i * k)
        if (random() < 0.6) lines.push([i, j, k, (value * drift).toFixed(3)].join())
        else queries.push([i, j, k].join())
      }
  const names = ['mode_1', 'mode_2', 'mode_3']
  writeFileSync(join(folder, 'data.tns'), lines.map((line) => line.replaceAll(',', ' ')).join('\n'))
  writeFileSync(join(folder, 'queries.csv'), [names.join(), ...queries].join('\n'))
})

/** Predicts all queries by the command. */
async function predictByCommand(model: string): Promise<number[]> {
  const { code, stdout, stderr } = await lacuna(['predict', model, 'queries.csv', '-q'], { cwd: folder })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',').at(-1)))
}

/** Expects the same predictions, up to float32, of which not all are at the ends of the range. */
async function expectSame(model: string, leastDistinct = 100): Promise<void> {
  const [found, expected] = [predictByNumPy(model), await predictByCommand(model)]
  expect(expected.length).toBeGreaterThan(200)
  expect(new Set(expected).size).toBeGreaterThan(leastDistinct)
  const most = Math.max(...expected)
  const off = found.filter((y, at) => !(Math.abs(y - expected[at]) <= 2e-6 * most))
  expect({ model, off, entries: found.length }).toEqual({ model, off: [], entries: expected.length })
}

it('an ensemble of --folds with neighbours is reproduced by the NumPy of docs/formats.md', async () => {
  const args = 'complete data.tns --rank 2 --folds 3 --epochs 20 --ordered 2 --dims 6x24x5 -q -o folds.npz'
  const { code, stderr } = await lacuna(args.split(' '), { cwd: folder })
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const model = (await readModel(join(folder, 'folds.npz'))) as CpEnsemble
  expect(model.neighbours?.lags[1].length).toBeGreaterThan(0)
  await expectSame('folds.npz')
})

it('so is one with weights, as of --best, whose members have different ranks, links and reshaping', async () => {
  const tensor = await readTensor(join(folder, 'data.tns'), { dims })
  const base = { epochs: 10, threads: 1, choose: false }
  const members = []
  for (const options of [
    { rank: 3, link: 'sqrt' as const },
    { rank: 2, split: [{ mode: 1, into: [8], offset: 3 }] },
    { rank: 2, link: 'log1p' as const, mergeModes: [[0, 2]] },
  ])
    members.push((await complete(tensor, { ...base, ...options })).model)
  const { observed } = members[0]
  // The second sum lies below the range of the values at most cells, the third above it, so that limits count.
  for (const [at, weights] of [
    [0.5, 0.3, 0.15],
    [0.2, 0.1, 0.05],
    [2, 1, 0.5],
  ].entries()) {
    const ensemble = new CpEnsemble({ dims, members, weights, observed, training: {} })
    await writeModel(join(folder, `best${at}.npz`), ensemble)
    await expectSame(`best${at}.npz`, at === 0 ? 100 : 10)
  }
})
