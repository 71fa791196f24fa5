/** A tensor as large as asked for, made in memory: what is planned and taken, and how long set-up and epochs take. */
import type { CpuEngine } from '../engine/cpu/index.ts'
import { draw, mix, purpose, stream, unit } from '../random.ts'
import { Run, type RunOptions } from '../solver/index.ts'
import { float32Array, uint32Array } from '../tensor/arrays.ts'
import type { SparseTensor } from '../tensor/index.ts'

export interface SizeBench {
  dims: readonly number[]
  entries: number
  parts: number
  /** In bytes: of the whole job; of several processes, of the one that takes most. */
  planned: number
  peak: number
  processes: number
  makingSeconds: number
  loadingSeconds: number
  /** Of updates. */
  secondsPerEpoch: number
  /** Relative error of the training entries after the last of them. */
  error: number
  epochs: number
}

export async function runSizeBench(
  engine: CpuEngine,
  { dims, entries, planned }: { dims: readonly number[]; entries: number; planned: number },
  options: RunOptions,
  onProgress: (line: string) => void,
): Promise<SizeBench> {
  const { parts } = engine.plan({ dims, entries, rank: options.rank ?? 10, companions: true })
  const world = await engine.world()
  const start = performance.now()
  const progress = (share: number): void => onProgress(`Making the entries: ${Math.round(100 * share)}%`)
  const tensor = largeTensor(dims, entries, progress, engine)
  const made = performance.now()
  onProgress('Loading …')
  const run = await Run.start(tensor, { ...options, engine })
  const loaded = performance.now()
  try {
    for await (const { epoch, train, seconds } of run)
      onProgress(
        `Epoch ${epoch.toFixed(2)}, error ${train.relative.toPrecision(3)}, ${Math.round(seconds)} s`,
      )
    const last = run.reports[run.reports.length - 1]
    return {
      dims,
      entries,
      processes: world.processes,
      parts,
      planned,
      peak: Math.max(...(await world.gatherNumbers(process.resourceUsage().maxRSS * 1024)).flat()),
      makingSeconds: (made - start) / 1000,
      loadingSeconds: (loaded - made) / 1000,
      secondsPerEpoch: last.updateSeconds / last.epoch,
      error: last.train.relative,
      epochs: last.epoch,
    }
  } finally {
    await run.close()
  }
}

const RANK = 3

/**
 * Distinct cells by a permutation of their numbers, so that nothing need be remembered of those that were drawn before;
 * their values are those of a model of rank 3, with a little noise. Of several processes each makes its share.
 */
export function largeTensor(
  dims: readonly number[],
  entries: number,
  onProgress: (share: number) => void,
  { process, processes }: { process: number; processes: number } = { process: 0, processes: 1 },
): SparseTensor {
  const [first, end] = [process, process + 1].map((k) => Math.floor((entries * k) / processes))
  const count = end - first
  const cells = dims.reduce((product, dim) => product * dim, 1)
  const cellOf = permutation(cells, stream(1, purpose.coordinates))
  const factors = dims.map((dim, mode) => {
    const key = stream(1, purpose.factors, mode)
    return Float32Array.from({ length: dim * RANK }, (_, at) => unit(draw(key, at)))
  })
  const noiseKey = stream(1, purpose.noise)
  const indices = dims.map(() => uint32Array(count))
  const values = float32Array(count)
  const last = dims.length - 1
  const index = dims.map(() => 0)
  for (let e = 0; e < count; e++) {
    if ((e & 0xfffff) === 0) onProgress(e / count)
    let rest = cellOf(first + e)
    for (let mode = last; mode >= 0; mode--) {
      index[mode] = rest % dims[mode]
      rest = Math.floor(rest / dims[mode])
      indices[mode][e] = index[mode]
    }
    let x = 0
    for (let r = 0; r < RANK; r++) {
      let product = 1
      for (let mode = 0; mode <= last; mode++) product *= factors[mode][index[mode] * RANK + r]
      x += product
    }
    values[e] = x * (1 + 0.02 * (unit(draw(noiseKey, first + e)) - 0.5))
  }
  return { dims, indices, values }
}

/** A random bijection of 0 … n − 1, n ≤ 2⁵²: four rounds of a Feistel network, again until the number is one of them. */
export function permutation(n: number, key: number): (i: number) => number {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, n)) / 2))
  const half = 2 ** bits
  const keys = [0, 1, 2, 3].map((round) => draw(key, round))
  return (i) => {
    let number = i
    do {
      let left = Math.floor(number / half)
      let right = number % half
      for (const roundKey of keys) {
        const next = (left ^ (mix(right ^ roundKey) & (half - 1))) >>> 0
        left = right
        right = next
      }
      number = left * half + right
    } while (number >= n)
    return number
  }
}
