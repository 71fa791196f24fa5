/** Labels and names made safe for spreadsheets, which run a cell that begins like a formula. */
import type { SparseTensor } from 'lacuna'
import { type ColumnType, isNumeric } from 'lacuna/internal'

/** The names of a tensor or model that are written to a table. */
type Named = Pick<SparseTensor, 'labels' | 'modes' | 'valueName'>

/** A text with an apostrophe before it if it begins with =, +, -, @, a tab or a carriage return. */
const escapeFormula = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/**
 * Returns labels, names of modes and the name of the values, none of which a spreadsheet takes for a formula.
 * Labels of a mode of numbers stay as they are.
 */
export function escapeFormulas({ labels, modes, valueName }: Named): Named {
  const isNumber = (mode: number): boolean => {
    const type = modes?.[mode].type
    return type !== undefined && isNumeric(type as ColumnType)
  }
  return {
    ...(labels && { labels: labels.map((own, m) => (isNumber(m) ? own : own?.map(escapeFormula))) }),
    ...(modes && { modes: modes.map((mode) => ({ ...mode, name: escapeFormula(mode.name) })) }),
    ...(valueName !== undefined && { valueName: escapeFormula(valueName) }),
  }
}
