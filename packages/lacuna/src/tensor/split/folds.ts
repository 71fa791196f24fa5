/**
 * Entries in folds, of which each is held out once. Entries of a group stay together: single cells, rows of a mode, blocks of
 * rows that follow one another, or whatever some modes have in common. Which fold is decided by seed and coordinates.
 */
import { InputError, type OptionMention, sentence } from '../../base/inputError.ts'
import { below, extend, purpose, stream } from '../../base/random.ts'
import { modeNumber } from '../modeNumber.ts'
import { pickEntries } from '../pickEntries.ts'
import type { SparseTensor } from '../sparseTensor.ts'

/** Entries are together that agree in these modes, but for places within a block of so many rows. */
export type FoldBy = readonly { mode: number; length: number }[]

export const byEntry = ({ dims }: Pick<SparseTensor, 'dims'>): FoldBy =>
  dims.map((_, mode) => ({ mode, length: 1 }))

/** Up to so many groups are dealt so that folds have equally many; more of them come out about equal by chance. */
const MOST_DEALT = 100_000

/** The fold of each entry. */
export function foldsOf(tensor: SparseTensor, by: FoldBy, folds: number, seed: number): Uint8Array {
  const { indices, values } = tensor
  const key = stream(seed, purpose.folds)
  const hashes = new Uint32Array(values.length)
  for (let e = 0; e < hashes.length; e++) {
    let hash = key
    for (const { mode, length } of by) hash = extend(hash, Math.floor(indices[mode][e] / length))
    hashes[e] = hash
  }
  const groups = new Set<number>()
  for (let e = 0; e < hashes.length && groups.size <= MOST_DEALT; e++) groups.add(hashes[e])
  if (groups.size > MOST_DEALT) return Uint8Array.from(hashes, (hash) => below(hash, folds))
  const dealt = new Map([...groups].sort((a, b) => a - b).map((hash, i) => [hash, i % folds]))
  return Uint8Array.from(hashes, (hash) => dealt.get(hash)!)
}

/** What is not in a fold, and what is. */
export function splitFold(
  tensor: SparseTensor,
  folds: Uint8Array,
  fold: number,
): { train: SparseTensor; out: SparseTensor } {
  const entries = Uint32Array.from(folds.keys())
  return {
    train: pickEntries(
      tensor,
      entries.filter((e) => folds[e] !== fold),
    ),
    out: pickEntries(
      tensor,
      entries.filter((e) => folds[e] === fold),
    ),
  }
}

/** station+day, hour:24, or entry: modes by their names or numbers, each with the length of its blocks. */
export function parseFoldBy(
  text: string,
  tensor: Pick<SparseTensor, 'dims' | 'modes'>,
  what: OptionMention,
): FoldBy {
  if (text === 'entry') return byEntry(tensor)
  return text.split('+').map((part) => {
    const [, name, length] = /^(.+?)(?::(\d+))?$/.exec(part.trim()) ?? []
    if (name === undefined || Number(length ?? 1) < 1)
      throw new InputError(
        'option',
        sentence`${what} is '${text}'; give modes, as in station+day or hour:24, or entry.`,
      )
    return { mode: modeNumber(tensor, name, what), length: Number(length ?? 1) }
  })
}

/** As it is typed, modes by their numbers: 1+3:24. */
export const foldByText = (by: FoldBy): string =>
  by.map(({ mode, length }) => (length > 1 ? `${mode + 1}:${length}` : String(mode + 1))).join('+')

/** For people: entries; rows of day; blocks of 24 of hour; cells of station and day. */
export function describeFoldBy(by: FoldBy, { dims, modes }: Pick<SparseTensor, 'dims' | 'modes'>): string {
  if (by.length === dims.length && by.every(({ length }) => length === 1)) return 'single entries'
  const names = by.map(({ mode, length }) => {
    const name = modes?.[mode].name ?? `mode ${mode + 1}`
    return length > 1 ? `blocks of ${length} of ${name}` : name
  })
  return `what has ${names.join(' and ')} in common`
}
