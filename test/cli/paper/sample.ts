/** Results of the paper's experiments with made-up numbers. */
import type { ConvergenceSeries, Curve, PaperResults, TimingSeries } from 'lacuna-figures/results'
import { judgeClaims } from '#cli/paper/claims.ts'
import { experimentSettings } from '#cli/paper/scales.ts'

/** Returns a curve whose errors fall geometrically from one value to another. */
export function fallingCurve(from: number, to: number, epochs: number, secondsPerEpoch = 0.1): Curve {
  const epoch = Array.from({ length: epochs }, (_, e) => e + 1)
  const errors = epoch.map((e) => from * (to / from) ** (e / epochs))
  return { epoch, seconds: epoch.map((e) => e * secondsPerEpoch), observed: errors, hidden: errors }
}

/**
 * Returns the curves of both solvers.
 * @param ends final errors of the paper's solver by c
 * @param fast of the fast one
 */
function series(ends: { [c: number]: number }, fast: number): ConvergenceSeries[] {
  const trials = (end: number, epochs: number) =>
    [0.98, 1.02].map((factor, t) => ({ trial: t + 1, curve: fallingCurve(0.5, factor * end, epochs) }))
  return [
    ...Object.entries(ends).map(
      ([c, end]): ConvergenceSeries => ({
        ...{ solver: 'paper', sample: Number(c), lambda: 0.01, trials: trials(end, 20) },
      }),
    ),
    { solver: 'fast', sample: 'auto', lambda: 'auto', trials: trials(fast, 10) },
  ]
}

/** Returns timings by Amdahl's law. @param efficiency parallel fraction of an epoch */
function timings(efficiency: number): TimingSeries[] {
  return (['paper', 'fast'] as const).flatMap((solver) =>
    [10, 30, 50].flatMap((rank) =>
      [1, 2, 4].map((threads): TimingSeries => {
        const seconds = (rank / (solver === 'fast' ? 40 : 10)) * (efficiency / threads + 1 - efficiency)
        return { solver, rank, threads, seconds: [seconds, 1.1 * seconds] }
      }),
    ),
  )
}

/** Options of sampleResults. */
export interface SampleOptions {
  /** Final errors of S1, by c. */
  noisy?: { [c: number]: number }
  /** Final errors of S2, by c. */
  clean?: { [c: number]: number }
  /** Parallel fraction of an epoch on S and on T. */
  efficiency?: [number, number]
  /** Largest speed-up of 32 threads with rows as tasks, on S and on T. */
  balance?: [number, number]
  cores?: number
}

/** Returns results as `lacuna paper` writes them, in which all claims hold by default. */
export function sampleResults({
  noisy = { 0.05: 0.4, 0.2: 0.32, 0.5: 0.3 },
  clean = { 0.05: 0.03, 0.2: 0.06, 0.5: 0.09 },
  efficiency = [0.95, 0.9],
  balance = [15, 6],
  cores = 4,
}: SampleOptions = {}): PaperResults {
  const data = { source: 'synthetic', dims: [40, 30, 20], entries: 1000 }
  const memory = { peakMemoryBytes: 2 ** 28 }
  const problem = { data, hiddenEntries: 50, ...memory }
  const rows = (speedUp: number) => [{ threads: 32, speedUp }]
  const measured: Pick<PaperResults, 'machine' | 'image' | 'convergence' | 'timing'> = {
    machine: { cpu: 'Some CPU', cores, memoryBytes: 2 ** 34, platform: 'linux', node: 'v20' },
    image: {
      data: { source: 'drawn', dims: [60, 90, 3], entries: 1620 },
      mean: { relative: 0.4, psnr: 12 },
      pictures: { original: 'image-original.png', damaged: 'image-damaged.png' },
      runs: (['paper', 'fast', 'patches'] as const).map((method, m) => ({
        ...{ method, rank: 10, sample: 0.1, lambda: 0.01, seconds: 2, picture: `image-${method}.png` },
        quality: { relative: 0.2, psnr: 18 + m },
        ...(method === 'patches' ? {} : { curve: fallingCurve(0.5, 0.2 + m / 20, 30) }),
      })),
    },
    convergence: {
      problems: [
        { name: 'S1', snrDb: 10, ...problem, series: series(noisy, 0.28) },
        { name: 'S2', snrDb: 30, ...problem, series: series(clean, 0.03) },
        { name: 'T', snrDb: null, ...problem, series: series(noisy, 0.2) },
      ],
    },
    timing: {
      problems: [
        { name: 'S', data, ...memory, rowBalance: rows(balance[0]), series: timings(efficiency[0]) },
        { name: 'T', data, ...memory, rowBalance: rows(balance[1]), series: timings(efficiency[1]) },
      ],
    },
  }
  return {
    ...{ format: 'lacuna-paper', version: 1, lacuna: '0.1.0', scale: 'tiny', seed: 1 },
    settings: experimentSettings('tiny', [1, 2, 4]),
    ...measured,
    claims: judgeClaims(measured),
  }
}
