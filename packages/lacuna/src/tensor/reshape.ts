/**
 * Mode reshaping: merging and splitting modes before learning. Merged modes become one, whose rows are all
 * pairs (or triples …) of their rows, also those without entries: the row of any cell is computed, alike in
 * every process. A split mode becomes several: the block of an index, and its position within the block.
 * Different cells stay different.
 */
import { InputError, type OptionMention, option, sentence } from '../base/inputError.ts'
import { uint32Array } from '../base/sharedArrays.ts'
import { checkEvenSteps } from './evenSteps.ts'
import { MAX_INDEX, type SparseTensor } from './sparseTensor.ts'

/** A mode by its number, from 0, or by its name. */
export type ModeReference = number | string

/** A mode that is split into blocks. */
export interface ModeSplit {
  /** The mode to split. */
  mode: ModeReference
  /** The length of blocks: 24 groups hours into days; [7, 24] groups them into weeks of seven days. */
  into: number | readonly number[]
  /** The position of the first row in its block, from 0; 0 by default. */
  offset?: number
}

/** Modes to merge and to split; each mode may occur once. */
export interface ModeReshaping {
  /** Groups of modes, each of which is merged into one; none by default. */
  mergeModes?: readonly (readonly ModeReference[])[]
  /** Modes that are split into several; none by default. */
  split?: readonly ModeSplit[]
}

/** A ModeReshaping with modes by number, from 0, in ascending order. */
export interface ResolvedReshaping {
  /** Groups of modes that are merged, by number from 0. */
  readonly mergeModes: readonly (readonly number[])[]
  /** Modes that are split, by number from 0. */
  readonly split: readonly {
    readonly mode: number
    readonly into: readonly number[]
    readonly offset: number
  }[]
}

/**
 * A digit of an original index: ⌊(index + offset) / stride⌋ mod size; times `weight` it is a term of a
 * reshaped mode's row.
 */
export interface Digit {
  /** The tensor's mode that it is taken from, from 0. */
  readonly mode: number
  /** Added to the index before it is divided. */
  readonly offset: number
  /** Divisor of the index. */
  readonly stride: number
  /** Number of its values. */
  readonly size: number
  /** Its factor in the row of the reshaped mode. */
  readonly weight: number
}

/** Reshaped modes, as the factors have them. */
export interface ReshapedModes {
  /** J_1 … J_M, their sizes. */
  readonly dims: readonly number[]
  /** Per reshaped mode, the digits whose terms sum to its row. */
  readonly digits: readonly (readonly Digit[])[]
}

/** Sizes, names and labels of the modes of a tensor or model. */
type Frame = Pick<SparseTensor, 'dims' | 'modes' | 'labels'>

/** Refuses options that are no reshaping of any tensor. */
export function checkReshaping({ mergeModes = [], split = [] }: ModeReshaping): void {
  const isMode = (mode: unknown): boolean =>
    typeof mode === 'string' || (Number.isSafeInteger(mode) && Number(mode) >= 0)
  const isGroup = (group: unknown): boolean => Array.isArray(group) && group.every(isMode)
  if (!Array.isArray(mergeModes) || !mergeModes.every(isGroup))
    throw new InputError('option', sentence`${option('mergeModes')} must be a list of lists of modes.`)
  if (!Array.isArray(split) || !split.every((one) => typeof one === 'object' && isMode(one?.mode)))
    throw new InputError(
      'option',
      sentence`${option('split')} must be a list of modes, each with its blocks.`,
    )
  for (const { into, offset = 0 } of split as ModeSplit[]) {
    const lengths = lengthsOf(into)
    if (lengths.length === 0 || lengths.some((length) => !Number.isSafeInteger(length) || length < 2))
      throw new InputError(
        'option',
        sentence`${option('split')} has blocks of ${lengths.join('x')}; lengths must be whole numbers from 2.`,
      )
    const length = periodOf(lengths)
    if (!Number.isInteger(offset) || offset < 0 || offset >= length)
      throw new InputError(
        'option',
        sentence`${option('split')} begins at the place ${offset} of a block of ${length}; it must be a whole number from 0 to ${length - 1}.`,
      )
  }
}

/** Returns the lengths of nested blocks as a list. */
const lengthsOf = (into: number | readonly number[]): readonly number[] =>
  Array.isArray(into) ? into : [into as number]
/** Returns the product of lengths: the rows of one outermost block, or the size of a merged mode. */
const periodOf = (lengths: readonly number[]): number =>
  lengths.reduce((product, length) => product * length, 1)

/**
 * Finds the modes of a reshaping in a tensor or model, and refuses merges and splits that are impossible
 * there.
 */
export function resolveReshaping(reshaping: ModeReshaping, frame: Frame): ResolvedReshaping {
  checkReshaping(reshaping)
  const find = (mode: ModeReference, name: string): number => findMode(mode, frame, option(name))
  const mergeModes = (reshaping.mergeModes ?? [])
    .map((group) => group.map((mode) => find(mode, 'mergeModes')).sort((a, b) => a - b))
    .sort((a, b) => a[0] - b[0])
  const split = (reshaping.split ?? [])
    .map(({ mode, into, offset = 0 }) => ({ mode: find(mode, 'split'), into: [...lengthsOf(into)], offset }))
    .sort((a, b) => a.mode - b.mode)
  const resolved = { mergeModes, split }
  checkResolved(resolved, frame)
  return resolved
}

/** Returns the number of a mode, from 0; throws if there is none. @param by the option in messages */
function findMode(mode: ModeReference, { dims, modes }: Frame, by: OptionMention): number {
  const found = typeof mode === 'number' ? mode : (modes?.findIndex(({ name }) => name === mode) ?? -1)
  if (found >= 0 && found < dims.length) return found
  const names = modes ? `: ${modes.map(({ name }) => name).join(', ')}` : ''
  throw new InputError(
    'option',
    sentence`${by} names a mode ${typeof mode === 'number' ? mode + 1 : mode}, but there are ${dims.length}${names}.`,
  )
}

/**
 * Refuses a mode named twice, merges that leave one mode or make too many rows, and splits of modes that are
 * shorter than two blocks or have labels that are not evenly spaced.
 */
function checkResolved({ mergeModes, split }: ResolvedReshaping, { dims, modes, labels }: Frame): void {
  const nameOf = (mode: number): string => `${mode + 1}${modes ? ` (${modes[mode].name})` : ''}`
  const named = [...mergeModes.flat(), ...split.map(({ mode }) => mode)]
  const twice = named.find((mode, at) => named.indexOf(mode) !== at)
  if (twice !== undefined)
    throw new InputError(
      'option',
      sentence`Mode ${nameOf(twice)} is named twice by ${option('mergeModes')} and ${option('split')}; a mode can be merged or split once.`,
    )
  for (const group of mergeModes) {
    const mention = option('mergeModes', mergeText(group))
    if (group.length < 2)
      throw new InputError('option', sentence`${mention} names one mode; two or more become one.`)
    if (group.length === dims.length)
      throw new InputError(
        'option',
        sentence`${mention} leaves one mode, and a tensor needs two; merge fewer.`,
      )
    const rows = group.reduce((product, mode) => product * dims[mode], 1)
    if (rows > MAX_INDEX)
      throw new InputError(
        'option',
        sentence`${mention} would make a mode of ${group.map((mode) => dims[mode]).join(' × ')} = ${rows} rows, more than ${MAX_INDEX}; merge smaller modes.`,
      )
  }
  for (const one of split) {
    const length = periodOf(one.into)
    if (dims[one.mode] <= length)
      throw new InputError(
        'option',
        sentence`${option('split', splitText(one))}: mode ${nameOf(one.mode)} has ${dims[one.mode]} rows, no more than one block of ${length}; give shorter blocks.`,
      )
    checkEvenSteps(labels?.[one.mode], nameOf(one.mode), option('split', splitText(one)))
  }
}

/** The reshaping that merges and splits nothing. */
const NOTHING: ResolvedReshaping = { mergeModes: [], split: [] }

/** Whether a reshaping merges or splits anything. */
export const isReshaped = ({ mergeModes, split }: ResolvedReshaping): boolean =>
  mergeModes.length + split.length > 0

/** Prints merged modes as they are typed: 1,2. */
export const mergeText = (group: readonly number[]): string => group.map((mode) => mode + 1).join()
/** Prints a split as it is typed: 3:24, or 3:7x24+5. */
export const splitText = ({
  mode,
  into,
  offset = 0,
}: {
  mode: number
  into: number | readonly number[]
  offset?: number
}): string => `${mode + 1}:${lengthsOf(into).join('x')}${offset > 0 ? `+${offset}` : ''}`

/**
 * Throws if a split has incomplete blocks. For tensors whose unlisted cells are zeros: the cells of a block
 * that lie beyond the mode are no zeros.
 */
export function refuseGaps({ split }: ResolvedReshaping, dims: readonly number[]): void {
  const gappy = split.find(({ mode, into, offset }) => offset > 0 || dims[mode] % periodOf(into) !== 0)
  if (gappy)
    throw new InputError(
      'option',
      sentence`${option('missing', 'zero')} takes every cell for known, and ${option('split', splitText(gappy))} makes blocks of which one is not full: mode ${gappy.mode + 1} has ${dims[gappy.mode]} rows; give blocks that they fill.`,
    )
}

/**
 * Returns the reshaped modes that a reshaping makes of modes of the given sizes. A merged mode stands at the
 * position of its first mode.
 */
export function reshapedModes(
  { mergeModes, split }: ResolvedReshaping,
  dims: readonly number[],
): ReshapedModes {
  const digits = dims.flatMap((dim, mode): Omit<Digit, 'weight'>[][] => {
    const group = mergeModes.find((merged) => merged.includes(mode))
    if (group) return group[0] === mode ? [group.map((member) => wholeDigit(member, dims[member]))] : []
    const apart = split.find((one) => one.mode === mode)
    if (!apart) return [[wholeDigit(mode, dim)]]
    const { into, offset } = apart
    const blocks = Math.ceil((dim + offset) / periodOf(into))
    return [blocks, ...into].map((size, at) => [{ mode, offset, stride: periodOf(into.slice(at)), size }])
  })
  return {
    dims: digits.map((parts) => periodOf(parts.map(({ size }) => size))),
    digits: digits.map((parts) =>
      parts.map((part, at) => ({ ...part, weight: periodOf(parts.slice(at + 1).map(({ size }) => size)) })),
    ),
  }
}

/**
 * Returns the modes that a model's factors have: the reshaped ones, or the original ones if it was not
 * reshaped.
 */
export const modesAsLearned = (model: {
  readonly dims: readonly number[]
  readonly reshapedModes?: ReshapedModes
}): ReshapedModes => model.reshapedModes ?? reshapedModes(NOTHING, model.dims)

/**
 * Returns the number, among the reshaped modes, of a mode that is neither merged nor split; else undefined.
 */
export function wholeMode({ digits }: ReshapedModes, mode: number): number | undefined {
  const k = digits.findIndex((parts) => parts[0].mode === mode && isWhole(parts, digits))
  return k < 0 ? undefined : k
}

/** Returns the digit that is the whole index of a mode. @param size the size of the mode */
const wholeDigit = (mode: number, size: number): Omit<Digit, 'weight'> => ({
  mode,
  offset: 0,
  stride: 1,
  size,
})

/**
 * Returns the term of a digit in the row of its reshaped mode.
 * @param index the index in the original mode
 */
export const digitTerm = ({ offset, stride, size, weight }: Digit, index: number): number =>
  (Math.floor((index + offset) / stride) % size) * weight

/**
 * Returns the row of a reshaped mode that a cell lies in.
 * @param digits the digits of that mode
 * @param coordinate the cell's indices in the original modes
 */
export function rowAt(digits: readonly Digit[], coordinate: readonly number[]): number {
  let row = 0
  for (let at = 0; at < digits.length; at++) row += digitTerm(digits[at], coordinate[digits[at].mode])
  return row
}

/** Converts index columns to those of the reshaped modes; the column of an unchanged mode is not copied. */
export function reshapeColumns({ digits }: ReshapedModes, indices: readonly Uint32Array[]): Uint32Array[] {
  return digits.map((parts) => {
    if (isWhole(parts, digits)) return indices[parts[0].mode]
    const rows = uint32Array(indices[0].length)
    for (const part of parts) {
      const column = indices[part.mode]
      for (let e = 0; e < rows.length; e++) rows[e] += digitTerm(part, column[e])
    }
    return rows
  })
}

/**
 * Whether a reshaped mode is an original one, neither merged nor split.
 * @param parts its digits
 * @param all the digits of all reshaped modes
 */
const isWhole = (parts: readonly Digit[], all: ReshapedModes['digits']): boolean =>
  parts.length === 1 && all.filter((digits) => digits.some(({ mode }) => mode === parts[0].mode)).length === 1

/**
 * Returns the entries with indices in reshaped modes, without labels and names; values and weights are not
 * copied.
 */
export function reshapeTensor(
  { indices, values, weights }: SparseTensor,
  modes: ReshapedModes,
): SparseTensor {
  return { dims: modes.dims, indices: reshapeColumns(modes, indices), values, ...(weights && { weights }) }
}

/**
 * Returns per original mode the rows that no entry observes, ascending: those of a merged mode where all
 * merged rows that contain the row have no entries, and those of a split mode where the row's block, or its
 * position within blocks, has none.
 * @param empty per reshaped mode, the rows without entries
 * @param originals the sizes of the original modes
 */
export function unobservedRows(
  { dims, digits }: ReshapedModes,
  empty: readonly Uint32Array[],
  originals: readonly number[],
): Uint32Array[] {
  return originals.map((rows, mode) => {
    const unknown = new Set<number>()
    digits.forEach((parts, reshaped) => {
      const digit = parts.find((part) => part.mode === mode)
      if (!digit) return
      const counts = new Map<number, number>()
      for (const row of empty[reshaped]) {
        const value = Math.floor(row / digit.weight) % digit.size
        counts.set(value, (counts.get(value) ?? 0) + 1)
      }
      const each = dims[reshaped] / digit.size
      if (counts.size === 0) return
      for (let row = 0; row < rows; row++)
        if (counts.get(digitTerm(digit, row) / digit.weight) === each) unknown.add(row)
    })
    return Uint32Array.from(unknown).sort()
  })
}
