/** Short descriptions of components by the rows that are special about them. */
import { joinLabels, rowsOfUnit, type TensorModel } from 'lacuna/internal'
import type { RowNames } from '../options/rowNames.ts'

/** Number of rows that a description names per mode. */
const NAMED_ROWS = 3

/**
 * Makes a function that describes a component by its three strongest rows per mode.
 * @param names names of rows, used where a row has one
 * @returns a function of the component's number, from 1, and of a mode; without a mode, all modes are
 * described
 */
export function componentDescriber(
  model: TensorModel,
  names: RowNames,
): (number: number, mode?: number) => string {
  const components = model.components({ strongest: NAMED_ROWS })
  return (number, mode) => {
    const component = components[number - 1]
    return component.modes
      .filter(({ modes }) => mode === undefined || modes.includes(mode))
      .map(({ name, modes, strongest }) => {
        const rowNames = strongest.map(({ row }) =>
          joinLabels(rowsOfUnit(model, modes, row).map((own, i) => names.nameOrLabel(modes[i], own))),
        )
        return mode === undefined ? `${name} ${rowNames.join(', ')}` : rowNames.join('; ')
      })
      .join('; ')
  }
}
