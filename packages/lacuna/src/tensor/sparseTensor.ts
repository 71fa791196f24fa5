import { InputError, option, sentence } from '../base/inputError.ts'
import { float32Array, trim, uint32Array } from '../base/sharedArrays.ts'
import { findDuplicates } from './order/findDuplicates.ts'
import { putOffRepetitionCheck } from './order/repetition.ts'
import { checkWeights, countingEntries } from './weights.ts'

/** What a mode stands for: a column of a table, say. */
export interface Mode {
  /** What it is called: a column, what was made of one, as in week(seen), or a name of its own. */
  readonly name: string
  /** The SQL type of which the labels are the text, where the mode came from a table. */
  readonly type?: string
  /** How to find it in a table that has no column of its name. */
  readonly from?: ModeSource
}

/** How a mode is made of a column. */
export interface ModeSource {
  /** Name of the column. */
  readonly column: string
  /** One of a closed list: week, hour, bins … */
  readonly binning?: string
  /** Of the binning: the width of bins, the decimals that are kept, the first time. */
  readonly argument?: number
  /** The forms in which the column writes times, where they are not ISO's. */
  readonly dates?: readonly string[]
}

/** The observed entries of a tensor X of order N: the paper's Ω and the values of X on it. */
export interface SparseTensor {
  /** I_1 … I_N */
  readonly dims: readonly number[]
  /** One column of 0-based indices per mode, each `values.length` long. */
  readonly indices: readonly Uint32Array[]
  /** The value of each entry. */
  readonly values: Float32Array
  /** How much each entry counts, above 0 and in proportion: one of weight 2 as much as two alike. All the same where there are none. */
  readonly weights?: Float32Array
  /** Per mode, a name for each index; a mode without names has `undefined`. */
  readonly labels?: readonly (readonly string[] | undefined)[]
  /** What the modes stand for, if known. */
  readonly modes?: readonly Mode[]
  /** The column or SQL expression that gave the values, if they came from a table. */
  readonly valueName?: string
}

export type NegativePolicy = 'error' | 'keep' | 'clip'
export type DuplicatePolicy = 'error' | 'sum' | 'mean' | 'last'

export const negativePolicies: readonly NegativePolicy[] = ['error', 'keep', 'clip']
export const duplicatePolicies: readonly DuplicatePolicy[] = ['error', 'sum', 'mean', 'last']

/** What to do with values and coordinates that are out of the ordinary. */
export interface TensorOptions {
  /** Negative values are an error (default), kept (noise around zero), or clipped to zero. */
  negative?: NegativePolicy
  /** Repeated coordinates are an error (default), or merged: their sum, mean, or the last one. */
  duplicates?: DuplicatePolicy
  /** Coordinates are known not to repeat: saves looking for duplicates; false by default. */
  distinct?: boolean
  /** How a message names an entry, e.g. `ratings.tns, line 12`; by default `entry 11`. */
  where?: (entry: number) => string
}

/** No index and no count of entries may exceed this: indices are 32-bit. */
export const MAX_INDEX = 2 ** 32 - 2
/** Nobody has needed more modes; a file that claims to have them is no tensor. */
export const MAX_ORDER = 256

/**
 * Checks a tensor once, so that everything behind this border can trust it. The arrays are taken over, not
 * copied: clipping and merging write to them.
 */
export function sparseTensor(input: SparseTensor, options: TensorOptions = {}): SparseTensor {
  return knownTensor(input, options)
}

/** The same, where the largest index of each mode may be known already: saves looking at all. */
export function knownTensor(
  input: SparseTensor,
  options: TensorOptions & { largest?: readonly number[] },
): SparseTensor {
  const { negative = 'error', duplicates = 'error', where = (entry) => `entry ${entry}`, largest } = options
  checkPolicies({ negative, duplicates })
  checkShape(input)
  checkNotEmpty(input.values.length)
  if (largest?.every((index, mode) => index < input.dims[mode])) checkMeasures(input, negative, where)
  else checkCells(input, negative, where)
  return withNames(input, options.distinct ? input : mergeDuplicates(input, duplicates, where))
}

/** The same of entries without weights, but for coordinates that repeat: they are an error, which is left to who sorts the entries. */
export function sparseTensorToSort(
  input: SparseTensor,
  { where = (entry) => `entry ${entry}`, ...options }: Omit<TensorOptions, 'duplicates' | 'distinct'>,
): SparseTensor {
  const tensor = sparseTensor(input, { ...options, where, distinct: true })
  refuseRepetitionLater(tensor, where)
  return tensor
}

/** Leaves it to the engine that sorts the entries to see whether coordinates repeat. */
export function refuseRepetitionLater(tensor: SparseTensor, where: (entry: number) => string): void {
  putOffRepetitionCheck(tensor, () => {
    mergeDuplicates(tensor, 'error', where)
  })
}

function withNames(
  { dims, labels, modes, valueName }: SparseTensor,
  { indices, values, weights }: Pick<SparseTensor, 'indices' | 'values' | 'weights'>,
): SparseTensor {
  const names = { ...(labels && { labels }), ...(modes && { modes }), ...(valueName && { valueName }) }
  const tensor = { dims, indices, values, ...(weights && { weights }), ...names }
  const counting = weights && countingEntries(weights)
  return counting ? pickEntries(tensor, counting) : tensor
}

/** A misspelt policy must not pass for one of the lenient ones. */
export function checkPolicies({
  negative = 'error',
  duplicates = 'error',
}: Pick<TensorOptions, 'negative' | 'duplicates'>): void {
  checkPolicy('negative', negative, negativePolicies)
  checkPolicy('duplicates', duplicates, duplicatePolicies)
}

function checkPolicy(option: string, policy: string, allowed: readonly string[]): void {
  if (!allowed.includes(policy))
    throw new InputError(
      'option',
      `The option ${option} is '${policy}'; it must be one of ${allowed.join(', ')}.`,
    )
}

/** The sizes of the modes, before anything is known of the entries. */
export function checkDims(dims: readonly number[], what: 'tensor' | 'model' = 'tensor'): void {
  if (dims.length < 2)
    throw new InputError('shape', `A ${what} needs at least 2 modes, this one has ${dims.length}.`)
  if (dims.length > MAX_ORDER)
    throw new InputError(
      'shape',
      `A ${what} has at most ${MAX_ORDER} modes, this one would have ${dims.length}.`,
    )
  dims.forEach((dim, mode) => {
    if (!Number.isInteger(dim) || dim < 1 || dim > MAX_INDEX)
      throw new InputError(
        'option',
        `The size of mode ${mode + 1} is ${dim}; it must be a whole number from 1 to ${MAX_INDEX}.`,
      )
  })
}

export function checkShape({ dims, indices, values, weights, labels, modes }: SparseTensor): void {
  checkDims(dims)
  if (weights && weights.length !== values.length)
    throw new InputError('shape', `There are ${weights.length} weights for ${values.length} values.`)
  if (indices.length !== dims.length)
    throw new InputError('shape', `The tensor has ${dims.length} dims but ${indices.length} index columns.`)
  if (labels && labels.length !== dims.length)
    throw new InputError('shape', `The tensor has ${dims.length} dims but labels for ${labels.length} modes.`)
  if (modes && modes.length !== dims.length)
    throw new InputError('shape', `The tensor has ${dims.length} dims but names for ${modes.length} modes.`)
  dims.forEach((dim, mode) => {
    if (indices[mode].length !== values.length)
      throw new InputError(
        'shape',
        `Mode ${mode + 1} has ${indices[mode].length} indices for ${values.length} values; they must be equal in number.`,
      )
    const names = labels?.[mode]
    if (names && names.length !== dim)
      throw new InputError('shape', `Mode ${mode + 1} has ${names.length} labels for ${dim} indices.`)
  })
}

export function checkNotEmpty(entries: number): void {
  if (entries === 0)
    throw new InputError('empty', 'The tensor has no observed entries: there is nothing to learn from.')
}

/** Indices and values, entry by entry; clips those that are to be clipped. */
export function checkCells(
  input: SparseTensor,
  negative: NegativePolicy,
  where: (entry: number) => string,
): void {
  for (const check of cellChecks(input, negative, where)) check()
}

/** What is checked of all entries one after the other: the indices of each mode, then the values. */
export function cellChecks(
  input: SparseTensor,
  negative: NegativePolicy,
  where: (entry: number) => string,
): (() => void)[] {
  const { dims, indices } = input
  return [
    ...indices.map((column, mode) => () => checkIndices(column, mode, dims[mode], where)),
    () => checkMeasures(input, negative, where),
  ]
}

function checkMeasures(
  { values, weights }: SparseTensor,
  negative: NegativePolicy,
  where: (entry: number) => string,
): void {
  checkValues(values, negative, where)
  if (weights) checkWeights(weights, where)
}

function checkIndices(
  column: Uint32Array,
  mode: number,
  dim: number,
  where: (entry: number) => string,
): void {
  for (let e = 0; e < column.length; e++) {
    if (column[e] >= dim)
      throw new InputError(
        'index',
        `${where(e)}: index ${column[e] + 1} of mode ${mode + 1} is beyond its size ${dim} (counting from 1).`,
      )
  }
}

function checkValues(values: Float32Array, negative: NegativePolicy, where: (entry: number) => string): void {
  for (let e = 0; e < values.length; e++) {
    const x = values[e]
    if (x >= 0 && x < Infinity) continue
    if (!Number.isFinite(x))
      throw new InputError(
        'value',
        `${where(e)}: the value is ${x}; observed values must be finite. Leave unobserved entries out.`,
      )
    if (negative === 'error')
      throw new InputError(
        'value',
        sentence`${where(e)}: the value ${x} is negative; allow it with ${option('negative', 'keep')} (noise around zero) or ${option('negative', 'clip')} (to zero).`,
      )
    if (negative === 'clip') values[e] = 0
  }
}

export function mergeDuplicates(
  { indices, values, weights }: SparseTensor,
  policy: DuplicatePolicy,
  where: (entry: number) => string,
): Pick<SparseTensor, 'indices' | 'values' | 'weights'> {
  // 0 for the first entry at its coordinates, else 1 + that entry's number. Once a first entry has its final place
  // among the kept ones, its 0 gives way to that place.
  const firstOf = findDuplicates(indices, values.length)
  if (!firstOf) return { indices, values, ...(weights && { weights }) }
  if (weights && policy === 'sum') throw refuseWeightedSum()
  const weightOf = (e: number): number => (weights ? weights[e] : 1)
  // From the first duplicate on: per kept entry, the sums of its values, each by its weight, and of its weights. In
  // float64, because a float32 stops counting ones at 2²⁴, and because a mean may fit where the sum does not.
  let sums: Float64Array | undefined
  let counts: Float64Array | undefined
  let kept = 0
  for (let e = 0; e < values.length; e++) {
    if (firstOf[e] === 0) {
      if (kept !== e) {
        for (const column of indices) column[kept] = column[e]
        values[kept] = values[e]
        if (weights) weights[kept] = weights[e]
      }
      if (sums && counts) {
        sums[kept] = weightOf(kept) * values[kept]
        counts[kept] = weightOf(kept)
      }
      firstOf[e] = kept++
      continue
    }
    const first = firstOf[firstOf[e] - 1]
    if (policy === 'error') throw refuseDuplicate(where(e), coordinates(indices, first), where(first))
    if (policy === 'last') {
      values[first] = values[e]
      if (weights) weights[first] = weights[e]
      continue
    }
    sums ??= Float64Array.from(values, (x, entry) => weightOf(entry) * x)
    counts ??= Float64Array.from(values, (_, entry) => weightOf(entry))
    sums[first] += weightOf(e) * values[e]
    counts[first] += weightOf(e)
    if (policy === 'sum' && !Number.isFinite(Math.fround(sums[first])))
      throw new InputError(
        'value',
        `${where(e)}: the sum at ${coordinates(indices, first)} is too large for a float32.`,
      )
  }
  if (sums && counts)
    for (let e = 0; e < kept; e++) {
      if (policy === 'sum') values[e] = sums[e]
      else if (counts[e] > 0) values[e] = sums[e] / counts[e]
      if (weights) weights[e] = counts[e]
    }
  return {
    indices: indices.map((column) => trim(column, kept)),
    values: trim(values, kept),
    ...(weights && { weights: trim(weights, kept) }),
  }
}

function refuseWeightedSum(): InputError {
  return new InputError(
    'option',
    sentence`Entries that are added up have no one weight; merge them with ${option('duplicates', 'mean', 'last')}, or leave the weights out.`,
  )
}

export function refuseDuplicate(where: string, coordinates: string, first: string): InputError {
  return new InputError(
    'duplicate',
    sentence`${where}: coordinates ${coordinates} were already given by ${first}; say how to merge duplicates with ${option('duplicates', 'sum', 'mean', 'last')}.`,
  )
}

const coordinates = (indices: readonly Uint32Array[], entry: number): string =>
  coordinatesOf(indices.map((column) => column[entry]))

/** As people count them. */
export const coordinatesOf = (cell: readonly number[]): string =>
  `(${cell.map((index) => index + 1).join(', ')})`

/** The size that a mode must have at least, by its column of indices. */
export function largestPlusOne(column: Uint32Array): number {
  let largest = 0
  for (let e = 0; e < column.length; e++) if (column[e] > largest) largest = column[e]
  return largest + 1
}

/** The entries picked by number, in that order. */
export function pickEntries(tensor: SparseTensor, entries: Uint32Array): SparseTensor {
  const pick = <A extends Uint32Array | Float32Array>(from: A, to: A): A => {
    for (let e = 0; e < entries.length; e++) to[e] = from[entries[e]]
    return to
  }
  return {
    ...tensor,
    indices: tensor.indices.map((column) => pick(column, uint32Array(entries.length))),
    values: pick(tensor.values, float32Array(entries.length)),
    ...(tensor.weights && { weights: pick(tensor.weights, float32Array(entries.length)) }),
  }
}
