import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { synthetic, writeTensor } from 'lacuna'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bench } from './run.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-bench-'))
afterAll(() => rmSync(cwd, { recursive: true }))
beforeAll(async () => {
  const { tensor, test } = synthetic({
    dims: [40, 30, 20],
    rank: 3,
    entries: 6000,
    testEntries: 500,
    seed: 1,
  })
  await writeTensor(join(cwd, 'data.tns'), tensor)
  await writeTensor(join(cwd, 'test.tns'), test!)
})

describe('bench', () => {
  it('bench engine prints seconds, speed-ups and shares for each rank and number of threads', async () => {
    const { code, stdout } = await bench(
      'engine --small --ranks 4,10 --threads 1,2 --rounds 1 --json --quiet'.split(' '),
    )
    expect(code).toBe(0)
    const { rows } = JSON.parse(stdout)
    expect(rows.map(({ rank, threads }: { rank: number; threads: number }) => [rank, threads])).toEqual([
      [4, 1],
      [4, 2],
      [10, 1],
      [10, 2],
    ])
    for (const { secondsPerEpoch, shares } of rows) {
      expect(secondsPerEpoch).toBeGreaterThan(0)
      expect(shares.hessian + shares.powerMethod + shares.rest).toBeCloseTo(1)
    }
  })

  it('bench convergence compares both solvers on given files', async () => {
    const args =
      'convergence --train data.tns --test test.tns --rank 3 --samples 0.5 --plot curves.svg --json --quiet'
    const { code, stdout } = await bench(args.split(' '), { cwd })
    expect(code).toBe(0)
    const [{ curves, target, levels }] = JSON.parse(stdout)
    expect(curves).toHaveLength(3 * 3 + 2) // the paper's three c by three λ; auto and one fixed c
    const paper = curves.filter(({ solver }: { solver: string }) => solver === 'paper')
    expect(target.error).toBe(Math.min(...paper.map(({ best }: { best: number }) => best)))
    expect(levels[0].fast).toBeGreaterThan(0)
    const svg = readFileSync(join(cwd, 'curves.svg'), 'utf8')
    for (const label of ['fast (default)', 'paper, c = 0.05', 'paper, c = 0.2', 'paper, c = 0.5'])
      expect(svg).toContain(label)
    // One line per c and one of the fast solver, not those of other λ and fixed c.
    expect(svg.match(/aria-label="line"/g)).toHaveLength(4)
    expect((await bench('convergence --train data.tns'.split(' '))).code).toBe(2)
  })
})
