/** Which of the faults that several processes find is the one that a single process would have found first. */
import type { Communicator } from '../../comm/index.ts'

/** A fault, and the place of the check that found it among all checks. */
export interface Fault {
  place: number
  error: unknown
}

/** Makes checks in order, up to the first that fails. Each goes over all entries of this process. */
export async function firstFault(checks: readonly (() => unknown)[]): Promise<Fault | undefined> {
  for (const [place, check] of checks.entries()) {
    try {
      await check()
    } catch (error) {
      return { place, error }
    }
  }
  return undefined
}

/**
 * Throws, in all processes, the fault of the earliest check; of several, that of the first process, whose entries come before
 * those of the others.
 */
export async function refuseFirst(communicator: Communicator, found: Fault | undefined): Promise<void> {
  const places = (await communicator.allGatherNumbers(found?.place ?? Infinity)).flat()
  const earliest = Math.min(...places)
  if (earliest === Infinity) return
  const speaker = places.indexOf(earliest)
  await communicator.failTogether(() => {
    if (communicator.rank === speaker) throw found?.error
  }, 'unnamed')
}
