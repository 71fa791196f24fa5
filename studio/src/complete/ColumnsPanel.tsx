import { type CsvColumn, type CsvMerge, timeBins } from 'lacuna'
import { isNumber, isTime } from './guess.ts'
import type { TableChoice } from './protocol.ts'

interface Props {
  columns: readonly CsvColumn[]
  choice: TableChoice
  onChange(choice: TableChoice): void
}

/** Which columns of a table are the modes, and which is the value. */
export function ColumnsPanel({ columns, choice, onChange }: Props) {
  const roles = new Map(columns.map(({ name }) => [name, roleOf(name, choice)]))
  const change = (column: string, role: string): void => {
    const next = new Map(roles).set(column, role)
    // There is one value: the one before becomes a column that is left out.
    if (role === 'value')
      for (const [name, other] of next) if (name !== column && other === 'value') next.set(name, 'none')
    const modes = columns.flatMap(({ name }) => {
      const taken = next.get(name)!
      if (taken === 'mode') return [name]
      return taken === 'value' || taken === 'none' ? [] : [`${taken}(${name})`]
    })
    const value = columns.find(({ name }) => next.get(name) === 'value')?.name
    const merge = value === undefined ? 'count' : choice.merge === 'count' ? 'error' : choice.merge
    onChange({ modes, merge, ...(value !== undefined && { value }) })
  }
  return (
    <div class="group">
      <h2>Columns</h2>
      <ul class="columns-list">
        {columns.map((column) => (
          <li key={column.name}>
            <label>
              <span class="column-name">
                {column.name}
                <small>{column.examples.join(', ')}</small>
              </span>
              <select
                value={roles.get(column.name)}
                onChange={({ currentTarget }) => change(column.name, currentTarget.value)}
              >
                <option value="mode">mode</option>
                {isTime(column) &&
                  timeBins.map((bin) => (
                    <option key={bin} value={bin}>
                      mode by {bin}
                    </option>
                  ))}
                {isNumber(column) && <option value="value">value</option>}
                <option value="none">left out</option>
              </select>
            </label>
          </li>
        ))}
      </ul>
      {choice.value === undefined && <small class="soft">No column is the value: rows are counted.</small>}
    </div>
  )
}

function roleOf(name: string, { modes, value }: TableChoice): string {
  if (name === value) return 'value'
  if (modes.includes(name)) return 'mode'
  return timeBins.find((bin) => modes.includes(`${bin}(${name})`)) ?? 'none'
}

const merges: readonly { value: CsvMerge; text: string }[] = [
  { value: 'error', text: 'refuse' },
  { value: 'sum', text: 'add up' },
  { value: 'mean', text: 'take the mean' },
  { value: 'last', text: 'take the last' },
]

interface CareProps {
  negative: 'error' | 'keep' | 'clip'
  onNegative(negative: 'error' | 'keep' | 'clip'): void
  /** Undefined where rows are counted. */
  merge?: CsvMerge
  onMerge(merge: CsvMerge): void
}

/** What to do with what a nonnegative tensor cannot hold. */
export function CareFields({ negative, onNegative, merge, onMerge }: CareProps) {
  return (
    <div class="pair">
      <label class="field">
        <span class="field-head">Negative values</span>
        <select
          value={negative}
          onChange={({ currentTarget }) => onNegative(currentTarget.value as 'error' | 'keep' | 'clip')}
        >
          <option value="error">refuse</option>
          <option value="keep">keep</option>
          <option value="clip">clip to 0</option>
        </select>
      </label>
      {merge && (
        <label class="field">
          <span class="field-head">Same coordinates</span>
          <select value={merge} onChange={({ currentTarget }) => onMerge(currentTarget.value as CsvMerge)}>
            {merges.map(({ value, text }) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}
