/** Steps of time that no row of a table has: hours in which every sensor was silent. */
import { InputError, type SparseTensor } from 'lacuna'
import { extendTime, type Lags, modeName, proposeLags, timeAxis } from 'lacuna/internal'
import { formatCounted } from '../../print/format.ts'
import { oneLine } from '../../print/printable.ts'

/** A tensor with rows for all steps of its mode of time. */
export interface AllSteps {
  tensor: SparseTensor
  /** The name of the mode of time. */
  mode: string
  /** The labels of the steps that no row of the table has. */
  inserted: readonly string[]
  /** Distances at which rows of time are similar, by which rows without entries are predicted. */
  lags: Lags
}

/**
 * Adds rows without entries to the mode of time where steps are missing between its labels; undefined if none is,
 * or no mode is known to be time in equal steps.
 */
export function addTimeSteps(tensor: SparseTensor): AllSteps | undefined {
  const [mode] = timeAxis(tensor) ?? []
  if (mode === undefined || (tensor.modes?.[mode].from?.binning ?? 'day') !== 'day') return undefined
  try {
    const { tensor: extended, inserted } = extendTime(tensor, mode, 0)
    if (inserted.length === 0) return undefined
    return { tensor: extended, mode: modeName(tensor, mode), inserted, lags: proposeLags(extended) }
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}

/** The sentence about steps that no row has: that they are added, or how they would be. */
export function describeSteps({ mode, inserted }: AllSteps, areAdded: boolean): string {
  const steps = `${formatCounted(inserted.length, 'step')} of ${mode}, the first ${inserted[0]},`
  const has = inserted.length === 1 ? 'has' : 'have'
  return oneLine(
    areAdded
      ? `${steps} had no row at all: ${inserted.length === 1 ? 'it is' : 'they are'} added, and predicted from the rows before and after.`
      : `${steps} ${has} no row at all; --add-steps would add and fill ${inserted.length === 1 ? 'it' : 'them'}.`,
  )
}
