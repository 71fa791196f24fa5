import type { Engine, EntrySet } from '../engine/engine.ts'
import { type ErrorSummary, summarizeError } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import type { Scaling } from './scaling.ts'

/** Turns an engine's sums, in scaled units, into errors in the data's units. */
export function errorMeter(
  engine: Engine,
  scaling: Scaling,
  sets: { [name in EntrySet]?: SparseTensor },
): (name: EntrySet) => Promise<ErrorSummary> {
  const norms = new Map(Object.entries(sets).map(([name, set]) => [name, set ? norm2(set) : 0]))
  return async (name) => {
    const { squares, absolutes } = await engine.error(name)
    return summarizeError({
      squares: squares / scaling.values ** 2,
      absolutes: absolutes / scaling.values,
      norm2: norms.get(name) ?? 0,
      entries: sets[name]?.values.length ?? 0,
    })
  }
}

function norm2({ values }: SparseTensor): number {
  let squares = 0
  for (const x of values) squares += x * x
  return squares
}
