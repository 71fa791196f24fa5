/**
 * Seconds of an epoch on the GPU, by rank and kind of step, beside all threads of the CPU in the same run.
 */
import { type SparseTensor, synthetic } from 'lacuna'
import {
  type CpuEngine,
  cpuEngine,
  type GpuEngine,
  gpuEngine,
  type LoadedProblem,
  type Step,
} from 'lacuna/internal'
import { DIMS, ENTRIES, SAMPLE } from './engine.ts'
import { median } from './median.ts'

/** Result of measureGpu. */
export interface GpuBench {
  device: string
  threads: number
  dims: readonly number[]
  entries: number
  sample: number
  /** Seconds from the tensor to a loaded problem, per rank. */
  setUp: { rank: number; gpuSeconds: number; cpuSeconds: number }[]
  /** Seconds of an epoch, per rank and kind of step. */
  rows: { rank: number; step: Step['kind']; gpuSeconds: number; cpuSeconds: number }[]
}

/** The kinds of steps that are measured. */
const STEPS: readonly Step[] = [
  { kind: 'gradient', momentum: 0.9 },
  { kind: 'newton', momentum: 0.6, damping: 1 },
  { kind: 'paper', maxInner: 1 },
]
/** Epochs of one measurement on the GPU: a single one is too short. */
const GPU_EPOCHS = 20

/** Options of measureGpu. */
export interface GpuBenchOptions {
  ranks: readonly number[]
  /** Threads of the CPU to compare with. */
  threads: number
  /** Uses a tenth of the entries. */
  small: boolean
  /** Measurements of each row, interleaved. */
  rounds: number
  onProgress: (line: string) => void
}

/** Measures each rank on the GPU and on the CPU, in interleaved rounds. */
export async function measureGpu(options: GpuBenchOptions): Promise<GpuBench> {
  const { ranks, threads, small, onProgress } = options
  const entries = small ? Math.round(ENTRIES / 10) : ENTRIES
  const gpu = await gpuEngine({ threads })
  const cpu = cpuEngine({ threads })
  try {
    onProgress(`Making ${entries} entries …`)
    const { tensor } = synthetic({ dims: DIMS, entries, rank: 10, seed: 1 })
    const bench: GpuBench = {
      device: gpu.name,
      threads,
      dims: DIMS,
      entries,
      sample: SAMPLE,
      setUp: [],
      rows: [],
    }
    for (const rank of ranks) await measureRank(bench, tensor, rank, [gpu, cpu], options)
    return bench
  } finally {
    await gpu.close()
    await cpu.close()
  }
}

/** Measures set-up and each kind of step for one rank, and adds the results to `bench`. */
async function measureRank(
  bench: GpuBench,
  tensor: SparseTensor,
  rank: number,
  [gpu, cpu]: readonly [GpuEngine, CpuEngine],
  { rounds, onProgress }: GpuBenchOptions,
): Promise<void> {
  onProgress(`Rank ${rank}, set-up`)
  const { factors } = synthetic({ dims: tensor.dims, entries: 1, rank, seed: 2 })
  const load = async (engine: GpuEngine | CpuEngine): Promise<[LoadedProblem, number]> => {
    const start = performance.now()
    const problem = await engine.load({ tensor, rank, momentumFactors: true, seed: 1 })
    await problem.writeFactors(factors)
    await problem.balance()
    return [problem, (performance.now() - start) / 1000]
  }
  // The first of each compiles, and starts threads; the second is counted.
  for (const engine of [gpu, cpu]) await load(engine).then(([problem]) => problem.close())
  const [onGpu, gpuSetUp] = await load(gpu)
  const [onCpu, cpuSetUp] = await load(cpu)
  bench.setUp.push({ rank, gpuSeconds: gpuSetUp, cpuSeconds: cpuSetUp })
  for (const step of STEPS) {
    const times = { gpu: [] as number[], cpu: [] as number[] }
    for (let round = 0; round <= rounds; round++) {
      onProgress(`Rank ${rank}, ${step.kind} steps, round ${round} of ${rounds}`)
      const fast = await epochSeconds(onGpu, step, round === 0 ? 1 : GPU_EPOCHS, factors)
      const slow = await epochSeconds(onCpu, step, 1, factors)
      if (round === 0) continue // compiles
      times.gpu.push(fast)
      times.cpu.push(slow)
    }
    bench.rows.push({ rank, step: step.kind, gpuSeconds: median(times.gpu), cpuSeconds: median(times.cpu) })
  }
  await onGpu.close()
  await onCpu.close()
}

/** Runs epochs from the given factors and returns the seconds per epoch. */
async function epochSeconds(
  problem: LoadedProblem,
  step: Step,
  epochs: number,
  factors: readonly Float32Array[],
): Promise<number> {
  await problem.writeFactors(factors)
  if (step.kind !== 'paper') await problem.balance()
  const run = { first: 0, count: epochs / SAMPLE, sample: SAMPLE, lambda: 0.01, seed: 1, step }
  return (await problem.iterate(run)).seconds / epochs
}
