/** The exchange between partitions after a step: rows that changed, and partial sums of shared rows. */
import { exchangeAddress } from '../memory/layout.ts'
import { barrier, type ThreadProblem } from '../threads/threadProblem.ts'
import { type Area, exchangeAreas } from './exchangePlan.ts'

/**
 * Copies the rows that a step of mode i changed to all partitions of all processes, and updates the rows
 * whose segments several partitions have, from all partial sums. All threads of all processes call it
 * together.
 * @param key the random stream of the step
 */
export function exchangeRows(problem: ThreadProblem, i: number, key: number): void {
  const { parts, firstPart, thread, threads, shared } = problem
  const { modes } = parts[0].layout
  const rows = areasOfRows(problem, i)
  if (shared[i].length === 0) {
    exchangeAreas(problem, rows)
    return
  }
  let job = 0
  for (const { row, parts: sharers } of shared[i])
    for (const { part, slots, beginsHere } of sharers) {
      const own = parts[part - firstPart]
      if (!own || job++ % threads !== thread) continue
      const { descriptor } = own.layout.views[i]
      own.kernel.writePartialSums(descriptor, row, key, slots, exchangeAddress(own.layout, part), beginsHere)
    }
  exchangeAreas(problem, [...rows, areasOfSums(problem, i, key)])
  for (const { kernel, layout } of parts)
    for (const { row, table } of shared[i])
      if (job++ % threads === thread)
        kernel.finishSharedRow(layout.views[i].descriptor, row, key, modes[i].sharedRows + table)
  barrier(parts, thread)
}

/**
 * Per partition, the area of its partial sums of shared rows after a step of mode i. Threads that will not
 * copy them get areas of 0 bytes.
 */
function areasOfSums({ parts, thread, owned, shared }: ThreadProblem, i: number, key: number): Area[] {
  const [{ kernel, layout }] = parts
  const areas = owned[i].map((_, part) => ({ address: exchangeAddress(layout, part), byteLength: 0 }))
  // Other threads neither copy nor send them.
  if (thread > 0 && parts.length === 1) return areas
  for (const { row, parts: sharers } of shared[i])
    for (const { part, begin, end, beginsHere } of sharers) {
      const sums = kernel.countPartialSums(layout.views[i].descriptor, row, key, begin, end)
      const byteLength = sums * layout.sumBytes
      areas[part].byteLength += byteLength
      if (!beginsHere) areas[part].address -= byteLength
    }
  return areas
}

/**
 * Lists of areas, one per matrix, that a step of mode i changes: the rows that only one partition has
 * segments of. Under a learned prior also their moments, leverages and sums.
 */
function areasOfRows(problem: ThreadProblem, i: number): Area[][] {
  const { modes, padded } = problem.parts[0].layout
  const { factor, moments, leverages, rowSums, slots } = modes[i]
  const rows = [areasOfMatrix(problem, factor, i)]
  if (problem.posterior)
    rows.push(
      slots
        ? areasOfSlots(problem, moments, slots, i)
        : areasOfMatrix(problem, moments, i, 4 * padded * padded),
      areasOfMatrix(problem, leverages, i, 4),
      areasOfMatrix(problem, rowSums, i, 24),
    )
  return rows
}

/**
 * Per partition, the area of the matrices of the sampled rows that only it has segments of.
 * @param moments the address of the matrices
 * @param slots the address of the number of sampled rows before each row
 */
function areasOfSlots({ parts, owned }: ThreadProblem, moments: number, slots: number, mode: number): Area[] {
  const [{ memory, layout }] = parts
  const before = new Uint32Array(memory.buffer, slots, layout.modes[mode].rows + 1)
  const matrixBytes = 4 * layout.padded ** 2
  return owned[mode].map(({ from, to }) => ({
    address: moments + before[from] * matrixBytes,
    byteLength: (before[to] - before[from]) * matrixBytes,
  }))
}

/**
 * Per partition, the area of the rows of a matrix that only it has segments of.
 * @param matrix the address of the matrix
 */
function areasOfMatrix(
  { parts, owned }: ThreadProblem,
  matrix: number,
  mode: number,
  rowBytes = 4 * parts[0].layout.padded,
): Area[] {
  return owned[mode].map(({ from, to }) => ({
    address: matrix + from * rowBytes,
    byteLength: (to - from) * rowBytes,
  }))
}

/**
 * All-gathers the momentum factors: a partition updates those of its own rows only; those of shared rows are
 * the same everywhere.
 */
export function gatherMomentumFactors(problem: ThreadProblem): void {
  const { modes } = problem.parts[0].layout
  exchangeAreas(
    problem,
    modes.map(({ momentumFactor }, i) => areasOfMatrix(problem, momentumFactor, i)),
  )
}
