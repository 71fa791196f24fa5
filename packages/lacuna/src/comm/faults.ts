/** Chooses, of the faults that several processes find, the one that a single process would have found first. */
import type { Communicator } from './communicator.ts'

/** A failed check, and its position among all checks. */
export interface Fault {
  position: number
  error: unknown
}

/**
 * Runs checks in order up to the first that throws.
 * @param checks each goes over all entries of this process
 * @returns the fault of that check, or undefined if none throws
 */
export async function firstFault(checks: readonly (() => unknown)[]): Promise<Fault | undefined> {
  for (const [position, check] of checks.entries()) {
    try {
      await check()
    } catch (error) {
      return { position, error }
    }
  }
  return undefined
}

/**
 * Throws, in all processes, the error of the earliest failed check; if several processes failed it, that of
 * the lowest rank, whose entries come first. Returns if no check failed.
 * @param found the fault of this process, if any
 */
export async function throwFirstFault(communicator: Communicator, found: Fault | undefined): Promise<void> {
  const positions = (await communicator.allGatherNumbers(found?.position ?? Infinity)).flat()
  const earliest = Math.min(...positions)
  if (earliest === Infinity) return
  const finder = positions.indexOf(earliest)
  await communicator.failTogether(() => {
    if (communicator.rank === finder) throw found?.error
  }, 'unnamed')
}
