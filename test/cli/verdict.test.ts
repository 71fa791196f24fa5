/** The comparison of a model with baselines, in the report of `lacuna complete`. */
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
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
