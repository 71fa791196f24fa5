/**
 * The distinct values of a mode that several processes have seen, in the order in which one process would have met them: the
 * processes tell theirs one after the other, each only those that none before it had.
 */
import type { Communicator } from '../../../comm/index.ts'
import { type ModeDictionary, NumberCoder, TextCoder, valuesOf } from '../../table/index.ts'

export interface AgreedMode {
  /** By all processes. */
  seen: ModeDictionary
  /** For each number that this process gave to a value, that of the value among all. */
  codes: Uint32Array
}

export async function agreeOnMode(
  communicator: Communicator,
  name: string,
  own: ModeDictionary,
): Promise<AgreedMode> {
  const seen = valuesOf(own)
  const kinds = await communicator.allGatherTexts(typeof (seen[0] ?? ''))
  const { size, from, code } = kinds.includes('number') ? numbersOf(name) : textsOf()
  let codes = new Uint32Array(0)
  for (let process = 0; process < communicator.size; process++) {
    const before = size()
    // There may be more than can be told apart.
    await communicator.failTogether(() => {
      if (process === communicator.rank) codes = Uint32Array.from(seen, code)
    }, 'unnamed')
    const told = await communicator.broadcastText(process, () => JSON.stringify(from(before)))
    if (process !== communicator.rank) for (const value of JSON.parse(told)) code(value)
  }
  return { seen: { ...(await facts(communicator, own)), values: from(0) as string[] | number[] }, codes }
}

interface Values {
  size(): number
  /** In order of arrival, from one on. */
  from(start: number): readonly (string | number)[]
  code(value: string | number): number
}

function numbersOf(name: string): Values {
  const coder = new NumberCoder(name)
  const { numbers } = coder
  return {
    ...{ size: () => numbers.length, from: (start) => numbers.slice(start) },
    code: (value) => coder.code(value as number),
  }
}

function textsOf(): Values {
  const coder = new TextCoder()
  const encoder = new TextEncoder()
  return {
    ...{ size: () => coder.size, from: (start) => coder.texts(start) },
    code(value) {
      const bytes = encoder.encode(value as string)
      return coder.code(bytes, 0, bytes.length)
    },
  }
}

/** What else has been seen. */
async function facts(
  communicator: Communicator,
  { fractions, times }: ModeDictionary,
): Promise<Omit<ModeDictionary, 'values'>> {
  const counts = [fractions ? 1 : 0, times?.compact ?? 0, times?.years ?? 0, times?.numbers ?? 0]
  const all = await communicator.allGatherNumbers(...counts)
  const [fractional, compact, years, numbers] = counts.map((_, i) =>
    all.reduce((sum, found) => sum + found[i], 0),
  )
  const first = all.findIndex((found) => found[3] > 0)
  const example = await communicator.broadcastText(Math.max(0, first), () => times?.example ?? '')
  return { fractions: fractional > 0, times: { compact, years, numbers, example } }
}
