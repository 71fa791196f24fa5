/** The exchange between partitions after a step: rows that changed, and partial sums of shared rows. */
import { exchangeAddress, partialBytes } from '../memory/layout.ts'
import { barrier, type ThreadProblem } from '../threads/threadProblem.ts'
import { type Area, exchangeAreas } from './exchangePlan.ts'

/**
 * Exchanges the rows that a step of mode i changed, and finishes the shared rows.
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

/** The areas of each partition's partial sums of shared rows; every thread can compute their sizes. */
function areasOfSums({ parts, thread, owned, shared }: ThreadProblem, i: number, key: number): Area[] {
  const [{ kernel, layout }] = parts
  const areas = owned[i].map((_, part) => ({ address: exchangeAddress(layout, part), byteLength: 0 }))
  // Other threads neither copy nor send them.
  if (thread > 0 && parts.length === 1) return areas
  for (const { row, parts: sharers } of shared[i])
    for (const { part, begin, end, beginsHere } of sharers) {
      const sums = kernel.countPartialSums(layout.views[i].descriptor, row, key, begin, end)
      const byteLength = sums * partialBytes(layout.padded)
      areas[part].byteLength += byteLength
      if (!beginsHere) areas[part].address -= byteLength
    }
  return areas
}

/** The areas that a step changes of the rows that only one partition has. */
function areasOfRows(problem: ThreadProblem, i: number): Area[][] {
  const { modes, padded } = problem.parts[0].layout
  const { factor, moments, leverages, rowSums } = modes[i]
  const rows = [areasOf(problem, factor, i)]
  if (problem.posterior)
    rows.push(
      areasOf(problem, moments, i, 4 * padded * padded),
      areasOf(problem, leverages, i, 4),
      areasOf(problem, rowSums, i, 24),
    )
  return rows
}

/** The areas of the rows of a matrix that only one partition has. */
function areasOf(
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
    modes.map(({ momentumFactor }, i) => areasOf(problem, momentumFactor, i)),
  )
}
