/** Checks of a tensor's sizes, indices, values, weights and names, and of what options allow. */
import { InputError, option, sentence } from '../base/inputError.ts'
import { mergeDuplicates } from './duplicates/mergeDuplicates.ts'
import { pickEntries } from './pickEntries.ts'
import {
  duplicatePolicies,
  MAX_INDEX,
  MAX_ORDER,
  type NegativePolicy,
  negativePolicies,
  type SparseTensor,
  type TensorOptions,
} from './sparseTensor.ts'
import { checkWeights, entriesWithWeight } from './weights.ts'

/**
 * Checks sizes, indices, values, weights and duplicates of a tensor, so that all other functions can rely on
 * them, and throws an InputError at the first fault. Entries of weight 0 are left out. The arrays are not
 * copied: clipping and merging write to them.
 */
export function sparseTensor(input: SparseTensor, options: TensorOptions = {}): SparseTensor {
  return checkSparseTensor(input, options)
}

/**
 * Checks a tensor as `sparseTensor` does.
 * @param options `largest`: the largest index of each mode, if known, which saves a pass over the indices
 */
export function checkSparseTensor(
  input: SparseTensor,
  options: TensorOptions & { largest?: readonly number[] },
): SparseTensor {
  const { negative = 'error', duplicates = 'error', where = (entry) => `entry ${entry}`, largest } = options
  checkPolicies({ negative, duplicates })
  checkShape(input)
  checkNotEmpty(input.values.length)
  if (largest?.every((index, mode) => index < input.dims[mode])) checkValuesAndWeights(input, negative, where)
  else checkCells(input, negative, where)
  return attachNames(input, options.distinct ? input : mergeDuplicates(input, duplicates, where))
}

/**
 * Returns a tensor of the checked entries with the sizes, labels and names of the input; leaves out entries
 * of weight 0.
 */
function attachNames(
  { dims, labels, modes, valueName }: SparseTensor,
  { indices, values, weights }: Pick<SparseTensor, 'indices' | 'values' | 'weights'>,
): SparseTensor {
  const names = { ...(labels && { labels }), ...(modes && { modes }), ...(valueName && { valueName }) }
  const tensor = { dims, indices, values, ...(weights && { weights }), ...names }
  const weighted = weights && entriesWithWeight(weights)
  return weighted ? pickEntries(tensor, weighted) : tensor
}

/** Throws if a policy is unknown, so that a misspelt one is not taken for one of the lenient ones. */
export function checkPolicies({
  negative = 'error',
  duplicates = 'error',
}: Pick<TensorOptions, 'negative' | 'duplicates'>): void {
  checkPolicy('negative', negative, negativePolicies)
  checkPolicy('duplicates', duplicates, duplicatePolicies)
}

/** Throws if a policy is not one of the allowed ones. @param option its name in the message */
function checkPolicy(option: string, policy: string, allowed: readonly string[]): void {
  if (!allowed.includes(policy))
    throw new InputError(
      'option',
      `The option ${option} is '${policy}'; it must be one of ${allowed.join(', ')}.`,
    )
}

/**
 * Throws if a tensor or model cannot have these sizes of modes: fewer than 2 or too many modes, or a size
 * that is no whole number from 1.
 * @param what the word in messages
 */
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

/** Refuses columns, weights, labels or names whose numbers do not fit together. */
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

/** Refuses a tensor without entries. @param entries their number */
export function checkNotEmpty(entries: number): void {
  if (entries === 0)
    throw new InputError('empty', 'The tensor has no observed entries: there is nothing to learn from.')
}

/**
 * Refuses indices beyond their mode's size, and values and weights that are not allowed; sets negative values
 * to 0 in place under `clip`.
 */
function checkCells(input: SparseTensor, negative: NegativePolicy, where: (entry: number) => string): void {
  for (const check of cellChecks(input, negative, where)) check()
}

/**
 * Returns the checks that go over all entries, in the order in which they run: the indices of each mode, then
 * values and weights. Each throws an InputError at the first fault.
 * @param where names an entry in messages
 */
export function cellChecks(
  input: SparseTensor,
  negative: NegativePolicy,
  where: (entry: number) => string,
): (() => void)[] {
  const { dims, indices } = input
  return [
    ...indices.map((column, mode) => () => checkIndices(column, mode, dims[mode], where)),
    () => checkValuesAndWeights(input, negative, where),
  ]
}

/** Refuses values and weights that are not allowed; sets negative values to 0 in place under `clip`. */
function checkValuesAndWeights(
  { values, weights }: SparseTensor,
  negative: NegativePolicy,
  where: (entry: number) => string,
): void {
  checkValues(values, negative, where)
  if (weights) checkWeights(weights, where)
}

/** Refuses indices of a mode that are not below its size. @param where names an entry in messages */
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

/** A float32 as text with as few digits as give it. */
function textOf(x: number): string {
  let digits = 6
  while (digits < 9 && Math.fround(Number(x.toPrecision(digits))) !== x) digits++
  return String(Number(x.toPrecision(digits)))
}

/**
 * Refuses values that are not finite, and negative ones under `error`; sets them to 0 in place under `clip`.
 */
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
        sentence`${where(e)}: the value ${textOf(x)} is negative; allow it with ${option('negative', 'keep')} (noise around zero) or ${option('negative', 'clip')} (to zero).`,
      )
    if (negative === 'clip') values[e] = 0
  }
}
