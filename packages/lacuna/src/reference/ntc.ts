/** Algorithm 2 of the paper in plain float64. */
import { below, draw, purpose, stream } from '../base/random.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { dot, type Matrix, type Vector } from './matrix.ts'
import { type ObservedRow, sNmc } from './nmc.ts'
import { weightsOf } from './weights.ts'

/** Parameters of Algorithm 2. */
export interface NtcSettings {
  lambda: number
  /** The fraction of a row's entries in a sample. */
  c: number
  /** Inner iterations, MAX_INNER. */
  maxInner: number
  /** AO iterations; an epoch is 1/c of them. */
  iterations: number
  /** The number of the first AO iteration; 0 by default. */
  first?: number
  /**
   * Returns the sample of row p of mode i in inner iteration l of AO iteration k: B positions among the row's
   * nnz entries in the order of the tensor; independent random samples by default.
   */
  sample?: (nnz: number, B: number, at: { k: number; i: number; p: number; l: number }) => readonly number[]
  /** The seed of the default sampler. */
  seed?: number
}

/**
 * Algorithm 2, AO accelerated stochastic NTC: starts from U_0, cycles over the modes, and returns the
 * factors. U is not changed.
 */
export function ntc(tensor: SparseTensor, U: readonly Matrix[], settings: NtcSettings): Matrix[] {
  const { lambda, c, maxInner, iterations, first = 0 } = settings
  const sample = settings.sample ?? independentSampler(settings.seed ?? 1)
  const current = [...U]
  for (let k = first; k < first + iterations; k++) {
    for (let i = 0; i < current.length; i++) {
      const X = unfold(tensor, current, i)
      current[i] = sNmc(X, current[i], {
        ...{ lambda, c, maxInner },
        sample: (nnz, B, p, l) => sample(nnz, B, { k, i, p, l }),
      })
    }
  }
  return current
}

/**
 * The rows of the unfolding X_(i): each entry with its row of the Khatri-Rao product K⁽ⁱ⁾ (the elementwise
 * product of the other factors' rows) and its weight, in the order of the tensor.
 */
export function unfold(tensor: SparseTensor, U: readonly Matrix[], i: number): ObservedRow[] {
  const { indices, values } = tensor
  const weights = weightsOf(tensor)
  const rows = U[i].map(() => ({ x: [] as number[], b: [] as Vector[], w: [] as number[] }))
  const R = U[i][0].length
  values.forEach((x, e) => {
    const k = new Float64Array(R).fill(1)
    for (let j = 0; j < U.length; j++) {
      if (j === i) continue
      const factorRow = U[j][indices[j][e]]
      for (let r = 0; r < R; r++) k[r] *= factorRow[r]
    }
    const row = rows[indices[i][e]]
    row.x.push(x)
    row.b.push(k)
    row.w.push(weights[e])
  })
  return rows
}

/**
 * The relative reconstruction error ‖M ⊛ (X − ⟦U⁽¹⁾, …, U⁽ᴺ⁾⟧)‖_F / ‖M ⊛ X‖_F, with entries by their weights.
 */
export function relativeError(tensor: SparseTensor, U: readonly Matrix[]): number {
  let residual = 0
  let norm = 0
  unfold(tensor, U, 0).forEach(({ x, b, w }, p) => {
    x.forEach((xq, q) => {
      residual += w[q] * (dot(U[0][p], b[q]) - xq) ** 2
      norm += w[q] * xq ** 2
    })
  })
  return Math.sqrt(residual / norm)
}

/** Returns a sampler that draws independent samples: the first B steps of a Fisher-Yates shuffle. */
function independentSampler(seed: number): NonNullable<NtcSettings['sample']> {
  return (nnz, B, { k, i, p, l }) => {
    const key = stream(seed, purpose.sample, k, i, l, p)
    const entries = Array.from({ length: nnz }, (_, q) => q)
    for (let q = 0; q < B; q++) {
      const other = q + below(draw(key, q), nnz - q)
      ;[entries[q], entries[other]] = [entries[other], entries[q]]
    }
    return entries.slice(0, B)
  }
}
