import { type CpModel, modeName } from '../model/index.ts'
import type { RowNames } from './named.ts'

const NAMED = 3

/** A component in a few words: what is special about it in one mode, or in all. */
export function inWordsOf(model: CpModel, names: RowNames): (number: number, mode?: number) => string {
  const components = model.components({ strongest: NAMED })
  return (number, mode) => {
    const component = components[number - 1]
    const wanted = mode === undefined ? model.dims.map((_, m) => m) : [mode]
    return wanted
      .map((m) => {
        const called = component.modes[m].strongest.map(({ row }) => names.called(m, row))
        return mode === undefined ? `${modeName(model, m)} ${called.join(', ')}` : called.join('; ')
      })
      .join('; ')
  }
}
