/**
 * Folds of cross-validation, assigned by seed and coordinates. Entries of a group are in one fold; groups are
 * single cells, rows of a mode, blocks of consecutive rows, or cells that agree in some modes.
 */
import { InputError, type OptionMention, sentence } from '../../base/inputError.ts'
import { below, extend, purpose, stream, unit } from '../../base/random.ts'
import { modeNumber } from '../modeNumber.ts'
import { pickEntries } from '../pickEntries.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/**
 * The groups of entries that stay together: those that agree in these modes, up to the position in a block of
 * `length` rows. Modes with `divided` count only in that fraction of the groups that the other modes make, where
 * every entry is a group by itself; the other groups stay whole.
 */
export type FoldBy = readonly { mode: number; length: number; divided?: number }[]

/** Returns the grouping in which every entry is a group by itself. */
export const byEntry = ({ dims }: Pick<SparseTensor, 'dims'>): FoldBy =>
  dims.map((_, mode) => ({ mode, length: 1 }))

/** Whether every entry is a group by itself. */
export const isByEntry = (by: FoldBy, { dims }: Pick<SparseTensor, 'dims'>): boolean =>
  new Set(by.map(({ mode }) => mode)).size === dims.length &&
  by.every(({ length, divided }) => length === 1 && divided === undefined)

/** The modes of the groups that stay whole beside single entries; undefined where groups are of one kind. */
export function wholeModes(by: FoldBy): number[] | undefined {
  if (by.every(({ divided }) => divided === undefined)) return undefined
  return by.flatMap(({ mode, divided }) => (divided === undefined ? [mode] : []))
}

/**
 * Up to this number of groups, folds get equally many groups; beyond it, a hash assigns each group to a fold,
 * and folds are about equal by chance.
 */
const MOST_BALANCED = 100_000

/**
 * Returns the fold of each entry, from 0, by seed and coordinates.
 * @param by the groups that stay together
 * @param folds the number of folds
 */
export function foldsOf(tensor: SparseTensor, by: FoldBy, folds: number, seed: number): Uint8Array {
  const hashes = groupHashes(tensor, by, seed)
  const groups = distinctNumbers(hashes, MOST_BALANCED)
  const folded = new Uint8Array(hashes.length)
  if (!groups) {
    for (let e = 0; e < hashes.length; e++) folded[e] = below(hashes[e], folds)
    return folded
  }
  const { slots, numbers } = groups
  const foldOfSlot = new Uint8Array(slots.length)
  numbers.sort().forEach((hash, i) => {
    foldOfSlot[slotOf(slots, hash)] = i % folds
  })
  for (let e = 0; e < hashes.length; e++) folded[e] = foldOfSlot[slotOf(slots, hashes[e])]
  return folded
}

/**
 * Returns a hash of each entry's group, by seed and coordinates.
 * @param by the groups that stay together
 */
export function groupHashes(
  { indices, values }: Pick<SparseTensor, 'indices' | 'values'>,
  by: FoldBy,
  seed: number,
): Uint32Array {
  const key = stream(seed, purpose.folds)
  const hashes = new Uint32Array(values.length)
  const divided = by.find((mode) => mode.divided !== undefined)?.divided
  const whole = by.filter((mode) => mode.divided === undefined)
  for (let e = 0; e < hashes.length; e++) {
    let hash = key
    for (const { mode, length } of whole) hash = extend(hash, Math.floor(indices[mode][e] / length))
    if (divided !== undefined && unit(extend(hash, 1)) < divided)
      for (const { mode } of by) hash = extend(hash, indices[mode][e])
    hashes[e] = hash
  }
  return hashes
}

/**
 * The distinct numbers of an array, and a hash table of them with open addressing, whose free slots are NaN;
 * undefined if there are more than `most`.
 */
function distinctNumbers(
  all: Uint32Array,
  most: number,
): { slots: Float64Array; numbers: Uint32Array } | undefined {
  const slots = new Float64Array(2 ** Math.ceil(Math.log2(2 * Math.min(most, all.length) + 2))).fill(NaN)
  const numbers = new Uint32Array(Math.min(most, all.length))
  let count = 0
  for (let e = 0; e < all.length; e++) {
    const slot = slotOf(slots, all[e])
    if (slots[slot] === all[e]) continue
    if (count === most) return undefined
    slots[slot] = all[e]
    numbers[count++] = all[e]
  }
  return { slots, numbers: numbers.subarray(0, count) }
}

/** The slot of a number in a hash table, or the free one where it belongs; the numbers are hashes themselves. */
function slotOf(slots: Float64Array, number: number): number {
  const last = slots.length - 1
  let slot = number & last
  while (slots[slot] !== number && !Number.isNaN(slots[slot])) slot = (slot + 1) & last
  return slot
}

/**
 * Returns the numbers of the entries of a fold, ascending.
 * @param folds the fold of each entry
 * @param isIn false for the entries of all other folds instead; true by default
 */
export function entriesOfFold(folds: Uint8Array, fold: number, isIn = true): Uint32Array {
  const entries = new Uint32Array(folds.length)
  let count = 0
  for (let e = 0; e < folds.length; e++) if ((folds[e] === fold) === isIn) entries[count++] = e
  return entries.slice(0, count)
}

/**
 * Separates the entries of one fold from the others.
 * @param folds the fold of each entry
 * @returns `out`: the entries of the fold; `train`: the others
 */
export function splitFold(
  tensor: SparseTensor,
  folds: Uint8Array,
  fold: number,
): { train: SparseTensor; out: SparseTensor } {
  return {
    train: pickEntries(tensor, entriesOfFold(folds, fold, false)),
    out: pickEntries(tensor, entriesOfFold(folds, fold)),
  }
}

/**
 * Parses groups as they are typed: station+day, hour:24 (blocks of 24 rows), or entry; throws if a mode is
 * unknown or named twice.
 * @param what the option in messages
 */
export function parseFoldBy(
  text: string,
  tensor: Pick<SparseTensor, 'dims' | 'modes'>,
  what: OptionMention,
): FoldBy {
  if (text === 'entry') return byEntry(tensor)
  const by = text.split('+').map((part) => {
    const [, name, length] = /^(.+?)(?::(\d+))?$/.exec(part.trim()) ?? []
    if (name === undefined || Number(length ?? 1) < 1)
      throw new InputError(
        'option',
        sentence`${what} is '${text}'; give modes, as in station+day or hour:24, or entry.`,
      )
    return { mode: modeNumber(tensor, name, what), length: Number(length ?? 1) }
  })
  refuseRepeatedModes(by, tensor, what)
  return by
}

/** Throws if groups name a mode twice. @param what the option in messages */
export function refuseRepeatedModes(
  by: FoldBy,
  { dims, modes }: Pick<SparseTensor, 'dims' | 'modes'>,
  what: OptionMention,
): void {
  const twice = dims.findIndex((_, mode) => by.filter((one) => one.mode === mode).length > 1)
  if (twice >= 0)
    throw new InputError(
      'option',
      sentence`${what} names ${modes?.[twice].name ?? `mode ${twice + 1}`} twice; name each mode once.`,
    )
}

/**
 * Prints groups as they are typed, with modes by number: 1+3:24. Undefined for whole groups beside single entries, which
 * cannot be typed: they are found in the data.
 */
export function foldByText(by: FoldBy): string | undefined {
  if (wholeModes(by)) return undefined
  return by.map(({ mode, length }) => (length > 1 ? `${mode + 1}:${length}` : String(mode + 1))).join('+')
}

/** Describes groups in words, as in `what has station and day in common`. */
export function describeFoldBy(by: FoldBy, { dims, modes }: Pick<SparseTensor, 'dims' | 'modes'>): string {
  if (isByEntry(by, { dims })) return 'single entries'
  const whole = wholeModes(by)
  if (whole) {
    const groups = by.filter(({ mode }) => whole.includes(mode))
    return `single entries and ${describeFoldBy(groups, { dims, modes })}`
  }
  const names = by.map(({ mode, length }) => {
    const name = modes?.[mode].name ?? `mode ${mode + 1}`
    return length > 1 ? `blocks of ${length} of ${name}` : name
  })
  return `what has ${names.join(' and ')} in common`
}
