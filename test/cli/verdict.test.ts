/** The comparison of a model with baselines, in the report of `lacuna complete`. */
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parameterCaution } from '#cli/commands/complete/verdict.ts'
import { encodeSearch } from '#lacuna/folds.js'
import { baselinesByFolds, foldGroupsOf, foldsOf } from '#lacuna/internalInBrowser.js'
import { CpModel } from '#lacuna/model/index.js'
import { settingsOf } from '#lacuna/solver/index.js'
import { byEntry, type FoldBy, type SparseTensor } from '#lacuna/tensor/index.js'
import { exampleFolder } from './exampleFolder.ts'

const { file, run } = exampleFolder('verdict')

it('the mean of cells that are zeros counts neither the test cells nor those of validation', async () => {
  const cells = Array.from({ length: 80 }, (_, n) => [1 + Math.floor(n / 10), 1 + (n % 10)])
  const countOf = ([i, j]: number[]): number => Math.max(0, i + j - 8)
  const isTest = (_: number[], n: number): boolean => n % 4 === 1
  const isValidation = (_: number[], n: number): boolean => n % 4 === 2
  const isKnown = (cell: number[], n: number): boolean => !isTest(cell, n) && !isValidation(cell, n)
  const write = (name: string, picked: number[][]): void =>
    writeFileSync(file(name), picked.map((cell) => `${cell.join(' ')} ${countOf(cell)}\n`).join(''))
  write(
    'known.tns',
    cells.filter(isKnown).filter((cell) => countOf(cell) > 0),
  )
  write('test.tns', cells.filter(isTest))
  write('validation.tns', cells.filter(isValidation))
  const sets = ['--validation', 'validation.tns', '--test', 'test.tns']
  const args = ['known.tns', '--missing', 'zero', ...sets, '--rank', '1', '--epochs', '5', '--json']
  const { code, stdout, stderr } = await run('complete', ...args)
  expect(code, stderr).toBe(0)
  const known = cells.filter(isKnown)
  const mean = known.reduce((sum, cell) => sum + countOf(cell), 0) / known.length
  const squares = cells.filter(isTest).map((cell) => (countOf(cell) - mean) ** 2)
  const rmse = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length)
  const { verdict, meanOnTest } = JSON.parse(stdout)
  expect(verdict.baselines[0].name).toBe('the mean')
  expect(verdict.baselines[0].error.rmse).toBeCloseTo(rmse, 6)
  expect(meanOnTest.rmse).toBeCloseTo(rmse, 6)
})

it('baselines are compared on the folds of the search, also where it goes on with those that were saved', async () => {
  // Fibers along the last mode are missing, by which folds would be of whole ones.
  const dims = [12, 10, 6]
  const cells = Array.from({ length: 720 }, (_, n) => [Math.floor(n / 60), Math.floor(n / 6) % 10, n % 6])
  const known = cells.filter(([i, j]) => (7 * i + 3 * j) % 5 !== 0)
  const cellValue = ([i, j, k]: number[]): number => 1 + i + 2 * ((3 * j + k) % 7)
  const train: SparseTensor = {
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(known, (cell) => cell[mode])),
    values: Float32Array.from(known, cellValue),
  }
  const lines = known.map((cell) => [...cell.map((index) => index + 1), cellValue(cell)].join(' '))
  writeFileSync(file('fibers.tns'), `${lines.join('\n')}\n`)
  const ofFolds = (by: FoldBy): number[] =>
    baselinesByFolds(train, foldsOf(train, by, 5, 1), 5).map(({ error }) => error.rmse)
  const saved = {
    settings: settingsOf({ epochs: 4, prior: 'isotropic' }),
    ...{ folds: 5, starts: 1, by: byEntry(train), seconds: 0, trials: [], runs: [] },
  }
  writeFileSync(file('resumed.npz.run'), Buffer.concat(encodeSearch(saved)))
  const args = ['--rank', 'auto', '--epochs', '4', '--prior', 'isotropic', '--json']
  for (const [output, more, by] of [
    ['resumed.npz', ['--resume'], byEntry(train)],
    ['fresh.npz', [], foldGroupsOf(train)],
  ] as const) {
    const { code, stdout, stderr } = await run('complete', 'fibers.tns', ...args, ...more, '-o', output)
    expect(code, stderr).toBe(0)
    const { baselines } = JSON.parse(stdout).verdict
    expect(baselines.map(({ error }: { error: { rmse: number } }) => error.rmse)).toEqual(ofFolds(by))
  }
  expect(ofFolds(byEntry(train))).not.toEqual(ofFolds(foldGroupsOf(train)))
})

it('a good verdict is followed by a caution where parameters are four times as many as entries', () => {
  const model = new CpModel({
    ...{ dims: [10, 20], rank: 4 },
    factors: [new Float32Array(40), new Float32Array(80)],
    unobserved: [Uint32Array.of(3), new Uint32Array(0)],
  })
  const good = { isWorthUsing: true } as Parameters<typeof parameterCaution>[2]
  expect(parameterCaution(model, 30, good)).toBeUndefined()
  expect(parameterCaution(model, 29, good)).toBe(
    'Caution: rank 4 has 116 parameters for 29 entries, so that a smaller one may predict better; --rank auto finds one.',
  )
  expect(parameterCaution(model, 116, undefined)).toBeUndefined()
  expect(parameterCaution(model, 115, undefined)).toContain('a small training error means nothing')
})
