import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench } from './run.ts'

it('bench io measures every kind of file with its ratio to a bare read, and leaves none behind', async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'lacuna-bench-test-'))
  const run = (...args: string[]) =>
    bench(['io', '--rows', '2000', '--rounds', '1', ...args], { env: { TMPDIR: temporary } })
  const { code, stdout, stderr } = await run('--json', '--quiet', '--threads', '1,2')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const { rows, dims, files, tables } = JSON.parse(stdout)
  expect({ rows, dims }).toEqual({ rows: 2000, dims: [71567, 65133, 730] })
  expect(files.map((row: { what: string; threads?: number }) => [row.what, row.threads])).toEqual([
    ['read .tns', 1],
    ['read .tns, load engine', 1],
    ['read .tns', 2],
    ['read .tns, load engine', 2],
    ['read .tns.gz', undefined],
    ['write model .npz', undefined],
    ['read model .npz', undefined],
  ])
  for (const row of [...files, ...tables]) expect(row.ratio).toBeCloseTo(row.seconds / row.bareSeconds, 6)
  expect(tables.map((row: { threads: number }) => row.threads)).toEqual([1, 1, 2, 2])
  for (const row of tables) {
    expect(row.tensorBytes).toBe(2000 * 4 * 4)
    expect(row.peakBytes).toBeGreaterThan(row.tensorBytes)
  }
  expect(readdirSync(temporary)).toEqual([])
  rmSync(temporary, { recursive: true })
})
