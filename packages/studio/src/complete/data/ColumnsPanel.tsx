/** Panel that chooses how a table or tensor is read: roles of columns, format of the text, and policies. */
import { type ColumnSummary, isNumeric, isTime, type MergePolicy, timeBins } from 'lacuna/internal'
import type { TableChoice } from '../protocol.ts'

interface Props {
  columns: readonly ColumnSummary[]
  choice: TableChoice
  onChange(choice: TableChoice): void
}

/** Chooses which columns of a table are modes, and which one is the value. */
export function ColumnsPanel({ columns, choice, onChange }: Props) {
  const roles = new Map(columns.map(({ name }) => [name, roleOf(name, choice)]))
  const change = (column: string, role: string): void => {
    const next = new Map(roles).set(column, role)
    // Only one column is the value: the one before is left out.
    if (role === 'value')
      for (const [name, other] of next) if (name !== column && other === 'value') next.set(name, 'none')
    const modes = columns.flatMap(({ name }) => {
      const taken = next.get(name)!
      if (taken === 'mode') return [name]
      return taken === 'value' || taken === 'none' ? [] : [`${taken}(${name})`]
    })
    const value = columns.find(({ name }) => next.get(name) === 'value')?.name
    const merge = value === undefined ? 'count' : choice.merge === 'count' ? 'error' : choice.merge
    onChange({ ...choice, modes, value, merge })
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
                {isNumeric(column.type) && <option value="value">value</option>}
                <option value="none">left out</option>
              </select>
            </label>
          </li>
        ))}
      </ul>
      {choice.value === undefined && choice.melt === undefined && (
        <small class="soft">No column is the value: rows are counted.</small>
      )}
      <FormatFields {...{ columns, choice, onChange }} />
    </div>
  )
}

/** Chooses the format of dates, the decimal sign, and the mode that the columns of a wide table become. */
function FormatFields({ columns, choice, onChange }: Props) {
  const forms = [...new Set(columns.flatMap(({ foreign = [] }) => foreign))]
  const change = (changes: Partial<TableChoice>): void => {
    const { dates, decimal, melt, ...rest } = { ...choice, ...changes }
    // Empty fields mean that nothing was chosen.
    onChange({
      ...rest,
      dates: dates?.length ? dates : undefined,
      decimal: decimal || undefined,
      melt: melt || undefined,
    })
  }
  return (
    <details open={forms.length > 0 || choice.dates !== undefined}>
      <summary>How it is written</summary>
      <label class="field">
        <span class="field-head">Form of dates</span>
        <input
          list="date-forms"
          placeholder="2014-04-01 (ISO)"
          value={choice.dates?.[0] ?? ''}
          onChange={({ currentTarget }) =>
            change({ dates: currentTarget.value ? [currentTarget.value] : [] })
          }
        />
        <datalist id="date-forms">
          {forms.map((form) => (
            <option key={form} value={form} />
          ))}
        </datalist>
      </label>
      <label class="field">
        <span class="field-head">Before fractions</span>
        <select
          value={choice.decimal ?? ''}
          onChange={({ currentTarget }) =>
            change({ decimal: (currentTarget.value || undefined) as ',' | undefined })
          }
        >
          <option value="">as it looks</option>
          <option value=".">a point</option>
          <option value=",">a comma</option>
        </select>
      </label>
      <label class="field">
        <span class="field-head">Columns left out become a mode called</span>
        <input
          placeholder="none: the table is not wide"
          value={choice.melt ?? ''}
          onChange={({ currentTarget }) => change({ melt: currentTarget.value })}
        />
      </label>
    </details>
  )
}

/** The role of a column: 'value', 'mode', 'none' or a bin of times. */
function roleOf(name: string, { modes, value }: TableChoice): string {
  if (name === value) return 'value'
  if (modes.includes(name)) return 'mode'
  return timeBins.find((bin) => modes.includes(`${bin}(${name})`)) ?? 'none'
}

/** The policies for entries with equal coordinates, as the page names them. */
const merges: readonly { value: MergePolicy; text: string }[] = [
  { value: 'error', text: 'refuse' },
  { value: 'sum', text: 'add up' },
  { value: 'mean', text: 'take the mean' },
  { value: 'last', text: 'take the last' },
]

interface PolicyProps {
  negative: 'error' | 'keep' | 'clip'
  onNegative(negative: 'error' | 'keep' | 'clip'): void
  /** Undefined if rows are counted: then there is nothing to choose. */
  merge?: MergePolicy
  onMerge(merge: MergePolicy): void
}

/** Chooses the policies for negative values and for entries with equal coordinates. */
export function PolicyFields({ negative, onNegative, merge, onMerge }: PolicyProps) {
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
          <select value={merge} onChange={({ currentTarget }) => onMerge(currentTarget.value as MergePolicy)}>
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
