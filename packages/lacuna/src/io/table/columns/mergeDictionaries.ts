/**
 * Dictionaries of one mode that several threads or processes have made, each for its own rows, merged into
 * one: the values are in the order in which a single reader of all rows would have met them.
 */
import { uint32Array } from '../../../base/sharedArrays.ts'
import type { Communicator } from '../../../comm/index.ts'
import { NumberCoder, TextCoder } from './coding.ts'
import { distinctValues, type ModeDictionary } from './modeReader.ts'

/** The merged dictionary, and maps from the codes of each dictionary to codes in it. */
export interface MergedDictionaries {
  dictionary: ModeDictionary
  /** Per dictionary, for each of its codes, the code in the merged one. */
  codes: Uint32Array[]
}

/** Merges the dictionaries of several threads. @param all in the order of the threads' rows */
export function mergeDictionaries(all: readonly ModeDictionary[]): MergedDictionaries {
  // A thread without rows has an empty dictionary, which may be one of integers.
  const areIntegers =
    all.some(({ integers }) => integers) &&
    all.every(({ integers, values }) => integers || values.length === 0)
  const { codes, ...values } = areIntegers
    ? mergeIntegers(all.map(({ integers }) => integers ?? new Uint32Array(0)))
    : mergeValues(all.map(distinctValues))
  return { codes, dictionary: { ...values, ...mergeFacts(all) } }
}

/** Merges the facts of dictionaries beside their values: whether there are fractions, and counts of times. */
function mergeFacts(
  all: readonly Pick<ModeDictionary, 'fractions' | 'times'>[],
): Omit<ModeDictionary, 'values'> {
  const timed = all.flatMap(({ times }) => times ?? [])
  const sum = (of: 'compact' | 'years' | 'numbers'): number =>
    timed.reduce((total, each) => total + each[of], 0)
  const example = timed.find(({ numbers }) => numbers > 0)?.example ?? ''
  const times = { compact: sum('compact'), years: sum('years'), numbers: sum('numbers'), example }
  return { fractions: all.some(({ fractions }) => fractions), times: timed.length > 0 ? times : undefined }
}

/** Merges lists of distinct texts or numbers by a Map; `codes` has the new code of each value. */
function mergeValues(
  all: readonly (readonly (string | number)[])[],
): Pick<ModeDictionary, 'values'> & Pick<MergedDictionaries, 'codes'> {
  const codeOf = new Map<string | number, number>()
  const codes = all.map((values) => {
    const own = uint32Array(values.length)
    values.forEach((value, code) => {
      const known = codeOf.get(value)
      own[code] = known ?? codeOf.size
      if (known === undefined) codeOf.set(value, codeOf.size)
    })
    return own
  })
  return { codes, values: [...codeOf.keys()] as string[] | number[] }
}

/**
 * Merges lists of distinct small whole numbers by an array in place of a Map; `codes` has the new code of
 * each.
 */
function mergeIntegers(
  all: readonly Uint32Array[],
): Required<Pick<ModeDictionary, 'values' | 'integers'>> & Pick<MergedDictionaries, 'codes'> {
  const largest = all.reduce((most, numbers) => numbers.reduce((a, b) => Math.max(a, b), most), 0)
  const codeOf = new Uint32Array(largest + 1) // 1 + code; 0 is none yet
  const merged = new Uint32Array(all.reduce((sum, numbers) => sum + numbers.length, 0))
  let count = 0
  const codes = all.map((numbers) => {
    const own = uint32Array(numbers.length)
    numbers.forEach((number, code) => {
      if (codeOf[number] === 0) {
        merged[count++] = number
        codeOf[number] = count
      }
      own[code] = codeOf[number] - 1
    })
    return own
  })
  return { codes, values: [], integers: merged.slice(0, count) }
}

/**
 * Merges the dictionaries of all processes. They broadcast their values one process after the other, each
 * only those that no earlier process had.
 * @param name the mode, as messages call it
 * @param own the dictionary of this process
 * @returns the merged dictionary, and for each code of this process the code in it; without codes if there is
 * one process
 */
export async function mergeOverProcesses(
  comm: Communicator,
  name: string,
  own: ModeDictionary,
): Promise<{ dictionary: ModeDictionary; codes?: Uint32Array }> {
  if (comm.size === 1) return { dictionary: own }
  const values = distinctValues(own)
  const kinds = await comm.allGatherTexts(typeof (values[0] ?? ''))
  const { size, valuesFrom, code } = kinds.includes('number') ? numberDictionary(name) : textDictionary()
  let codes = new Uint32Array(0)
  for (let rank = 0; rank < comm.size; rank++) {
    const before = size()
    // The values may be more than a dictionary can hold.
    await comm.failTogether(() => {
      if (rank === comm.rank) codes = Uint32Array.from(values, code)
    }, 'unnamed')
    const added = await comm.broadcastText(rank, () => JSON.stringify(valuesFrom(before)))
    if (rank !== comm.rank) for (const value of JSON.parse(added)) code(value)
  }
  const { fractions, times } = own
  const facts = await comm.allGatherTexts(JSON.stringify({ fractions, times }))
  const merged = mergeFacts(facts.map((text) => JSON.parse(text)))
  return { dictionary: { ...merged, values: valuesFrom(0) as string[] | number[] }, codes }
}

/** A dictionary that gives codes to texts or numbers. */
interface ValueCoder {
  /** The number of distinct values. */
  size(): number
  /** The values in order of arrival, from the one of code `start` on. */
  valuesFrom(start: number): readonly (string | number)[]
  /** The code of a value, a new one if the value is new. */
  code(value: string | number): number
}

/** An empty dictionary of numbers. @param name the mode, as messages call it */
function numberDictionary(name: string): ValueCoder {
  const coder = new NumberCoder(name)
  const { numbers } = coder
  return {
    size: () => numbers.length,
    valuesFrom: (start) => numbers.slice(start),
    code: (value) => coder.code(value as number),
  }
}

/** An empty dictionary of texts. */
function textDictionary(): ValueCoder {
  const coder = new TextCoder()
  const encoder = new TextEncoder()
  return {
    size: () => coder.size,
    valuesFrom: (start) => coder.texts(start),
    code(value) {
      const bytes = encoder.encode(value as string)
      return coder.code(bytes, 0, bytes.length)
    },
  }
}
