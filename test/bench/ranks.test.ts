import { expect, it } from 'vitest'
import { bench } from './run.ts'

it('bench ranks prints a held-out error per rank, relative to the least', async () => {
  const size = ['--dims', '120x80x20', '--entries', '9000', '--truth', '2', '--snr', '10']
  const { code, stdout } = await bench(['ranks', ...size, '--ranks', '1,2,5', '--threads', '1', '-q'])
  expect(code).toBe(0)
  const rows = stdout
    .trim()
    .split('\n')
    .slice(-3)
    .map((line) => line.trim().split(/\s+/).map(Number))
  expect(rows.map(([rank]) => rank)).toEqual([1, 2, 5])
  const ratios = rows.map((row) => row[5])
  expect(Math.min(...ratios)).toBe(1)
  // One component is too few, and five are not too many.
  expect(ratios[0]).toBeGreaterThan(1.2)
  expect(Math.max(ratios[1], ratios[2])).toBeLessThan(1.05)
})
