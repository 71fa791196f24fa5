import type { MemoryPlan } from './memoryPlan.ts'
import { viewArrays } from './viewArrays.ts'

/**
 * Balances the factors: what is multiplied into column r of one mode can be divided out of another without
 * changing the model, and equal lengths make λ Σ‖U⁽ⁱ⁾‖² smallest and keep float32 in its comfortable middle. Each
 * mode is the work of one thread; `meet` is the barrier between measuring and scaling.
 */
export function balanceColumns(
  plan: MemoryPlan,
  memory: WebAssembly.Memory,
  thread: number,
  meet: () => void,
): void {
  const { padded, modes, scratch } = plan
  const threads = scratch.length
  const lengths = modes.map(({ norms }) => new Float64Array(memory.buffer, norms, padded))
  const own = modes.map((_, i) => i).filter((i) => i % threads === thread)
  const emptyRows = modes.map(({ view }) => isEmpty(viewArrays(memory, view, modes.length).rowStart))
  for (const i of own) measureColumns(factorOf(plan, memory, i), emptyRows[i], lengths[i])
  meet()
  for (const i of own) {
    const common = lengths[i].map(
      (_, r) => lengths.reduce((product, l) => product * l[r], 1) ** (1 / modes.length),
    )
    const by = common.map((length, r) => (length > 0 && length < Infinity ? length / lengths[i][r] : 1))
    scaleColumns(factorOf(plan, memory, i), by)
    scaleColumns(companionOf(plan, memory, i), by)
    new Float32Array(memory.buffer, modes[i].scale, padded).set(scaleVector(common, modes.length))
    const mean = new Float32Array(memory.buffer, modes[i].mean, padded)
    mean.set(meanRow(factorOf(plan, memory, i), emptyRows[i], padded))
    fillEmptyRows(factorOf(plan, memory, i), emptyRows[i], mean)
  }
  meet()
}

const factorOf = ({ padded, modes }: MemoryPlan, memory: WebAssembly.Memory, i: number): Float32Array =>
  new Float32Array(memory.buffer, modes[i].factor, modes[i].view.rows * padded)

const companionOf = ({ padded, modes }: MemoryPlan, memory: WebAssembly.Memory, i: number): Float32Array =>
  new Float32Array(memory.buffer, modes[i].companion, modes[i].view.rows * padded)

/** Whether a row of the mode has no entries; it is not learned. */
const isEmpty =
  (rowStart: Uint32Array) =>
  (p: number): boolean =>
    rowStart[p + 1] === rowStart[p]

function measureColumns(factor: Float32Array, empty: (p: number) => boolean, lengths: Float64Array): void {
  const columns = lengths.length
  lengths.fill(0)
  for (let at = 0, p = 0; at < factor.length; at += columns, p++) {
    if (empty(p)) continue
    for (let r = 0; r < columns; r++) lengths[r] += factor[at + r] * factor[at + r]
  }
  for (let r = 0; r < columns; r++) lengths[r] = Math.sqrt(lengths[r])
}

/** The mean of the rows that have entries: where λ draws them to, and what the others get. */
function meanRow(factor: Float32Array, empty: (p: number) => boolean, columns: number): Float64Array {
  const mean = new Float64Array(columns)
  let rows = 0
  for (let p = 0; p * columns < factor.length; p++) {
    if (empty(p)) continue
    for (let r = 0; r < columns; r++) mean[r] += factor[p * columns + r]
    rows++
  }
  return mean.map((sum) => sum / rows)
}

function fillEmptyRows(factor: Float32Array, empty: (p: number) => boolean, mean: Float32Array): void {
  const columns = mean.length
  for (let p = 0; p * columns < factor.length; p++) if (empty(p)) factor.set(mean, p * columns)
}

function scaleColumns(factor: Float32Array, by: Float64Array): void {
  const columns = by.length
  for (let at = 0; at < factor.length; at += columns)
    for (let r = 0; r < columns; r++) factor[at + r] *= by[r]
}

/** v of the gradient step, 1 / (the typical size of k_r) up to a common factor: k is a product of N − 1 columns. */
function scaleVector(common: Float64Array, order: number): Float64Array {
  const longest = Math.max(...common)
  const smallest = 1e-3 // a component this much smaller than the largest is not trusted to stay so
  return common.map((length) =>
    Math.min(1e30, Math.max(smallest, longest > 0 ? length / longest : 1) ** (1 - order)),
  )
}
