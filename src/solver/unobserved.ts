import type { SparseTensor } from '../tensor/index.ts'

/** Per mode, the rows that no entry speaks of. */
export function unobservedRows({ dims, indices }: SparseTensor): Uint32Array[] {
  return dims.map((rows, mode) => {
    const seen = new Uint8Array(rows)
    for (const p of indices[mode]) seen[p] = 1
    const empty: number[] = []
    for (let p = 0; p < rows; p++) if (!seen[p]) empty.push(p)
    return Uint32Array.from(empty)
  })
}

/** Gives rows that were never observed the mean of those that were: the best guess about a stranger. */
export function fillUnobserved(
  factors: readonly Float32Array[],
  rank: number,
  unobserved: readonly Uint32Array[],
): readonly Float32Array[] {
  factors.forEach((factor, mode) => {
    const empty = unobserved[mode]
    const observed = factor.length / rank - empty.length
    if (empty.length === 0 || observed === 0) return
    const mean = new Float64Array(rank)
    for (const p of empty) factor.fill(0, p * rank, (p + 1) * rank)
    for (let at = 0; at < factor.length; at++) mean[at % rank] += factor[at] / observed
    for (const p of empty) factor.set(mean, p * rank)
  })
  return factors
}
