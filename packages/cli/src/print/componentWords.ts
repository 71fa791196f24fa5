import { rowsOfUnit, type TensorModel, together } from 'lacuna/internal'
import type { RowNames } from '../options/rowNames.ts'

const NAMED = 3

/** A component in a few words: what is special about it in one mode, or in all. */
export function inWordsOf(model: TensorModel, names: RowNames): (number: number, mode?: number) => string {
  const components = model.components({ strongest: NAMED })
  return (number, mode) => {
    const component = components[number - 1]
    return component.modes
      .filter(({ modes }) => mode === undefined || modes.includes(mode))
      .map(({ name, modes, strongest }) => {
        const called = strongest.map(({ row }) =>
          together(rowsOfUnit(model, modes, row).map((own, i) => names.called(modes[i], own))),
        )
        return mode === undefined ? `${name} ${called.join(', ')}` : called.join('; ')
      })
      .join('; ')
  }
}
