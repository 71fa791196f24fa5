/** The values of a mode that several threads have numbered, each for itself, in the order in which one would have met them. */
import { uint32Array } from '../../../base/sharedArrays.ts'
import { type ModeDictionary, valuesOf } from '../../table/columns/modeReader.ts'

export interface MergedMode {
  seen: ModeDictionary
  /** Per thread, for each number that it gave to a value, that of the value among all. */
  codes: Uint32Array[]
}

export function mergeSeen(all: readonly ModeDictionary[]): MergedMode {
  // A thread that has seen nothing has seen nothing but whole numbers.
  const areWhole =
    all.some(({ wholes }) => wholes) && all.every(({ wholes, values }) => wholes || values.length === 0)
  const { codes, ...values } = areWhole
    ? mergeWholes(all.map(({ wholes }) => wholes ?? new Uint32Array(0)))
    : mergeValues(all.map(valuesOf))
  const timed = all.flatMap(({ times }) => times ?? [])
  const sum = (of: 'compact' | 'years' | 'numbers'): number =>
    timed.reduce((total, each) => total + each[of], 0)
  const example = timed.find(({ numbers }) => numbers > 0)?.example ?? ''
  const times = { compact: sum('compact'), years: sum('years'), numbers: sum('numbers'), example }
  return {
    codes,
    seen: {
      ...values,
      fractions: all.some(({ fractions }) => fractions),
      ...(timed.length > 0 && { times }),
    },
  }
}

function mergeValues(
  all: readonly (readonly (string | number)[])[],
): Pick<ModeDictionary, 'values'> & Pick<MergedMode, 'codes'> {
  const codeOf = new Map<string | number, number>()
  const codes = all.map((values) => {
    const own = uint32Array(values.length)
    values.forEach((value, number) => {
      const known = codeOf.get(value)
      own[number] = known ?? codeOf.size
      if (known === undefined) codeOf.set(value, codeOf.size)
    })
    return own
  })
  return { codes, values: [...codeOf.keys()] as string[] | number[] }
}

/** The same for whole numbers, none of them large. */
function mergeWholes(
  all: readonly Uint32Array[],
): Required<Pick<ModeDictionary, 'values' | 'wholes'>> & Pick<MergedMode, 'codes'> {
  const largest = all.reduce((most, numbers) => numbers.reduce((a, b) => Math.max(a, b), most), 0)
  const codeOf = new Uint32Array(largest + 1) // 1 + code; 0 is none yet
  const merged = new Uint32Array(all.reduce((sum, numbers) => sum + numbers.length, 0))
  let count = 0
  const codes = all.map((numbers) => {
    const own = uint32Array(numbers.length)
    numbers.forEach((number, at) => {
      if (codeOf[number] === 0) {
        merged[count++] = number
        codeOf[number] = count
      }
      own[at] = codeOf[number] - 1
    })
    return own
  })
  return { codes, values: [], wholes: merged.slice(0, count) }
}
