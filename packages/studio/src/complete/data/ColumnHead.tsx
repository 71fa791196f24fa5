/** The head of a column in the preview of a table: its name, its role, and how it is binned. */
import { type ColumnSummary, isNumeric, isTime } from 'lacuna/internal'
import {
  binningsOf,
  isPlaceColumn,
  possibleBinnings,
  type Role,
  roleOf,
  setBinnings,
  setRole,
  type TableChoice,
} from '../understanding/index.ts'

interface Props {
  column: ColumnSummary
  columns: readonly ColumnSummary[]
  choice: TableChoice
  onChange(choice: TableChoice): void
}

/** The name of a column, a select of its role, and the binning of a mode. */
export function ColumnHead({ column, columns, choice, onChange }: Props) {
  const { name } = column
  const role = roleOf(choice, name)
  const canMeasure =
    isNumeric(column.type) ||
    column.measure !== undefined ||
    column.mixed !== undefined ||
    role === 'value' ||
    role === 'weight'
  return (
    <div class={`column-head ${role}`}>
      <b title={name}>{name}</b>
      <select
        aria-label={`Role of ${name}`}
        value={role}
        onChange={({ currentTarget }) =>
          onChange(setRole(choice, columns, name, currentTarget.value as Role))
        }
      >
        <option value="mode">mode</option>
        {canMeasure && choice.melt === undefined && <option value="value">value</option>}
        {canMeasure && <option value="weight">weight</option>}
        {choice.melt !== undefined && <option value="melted">label of {choice.melt}</option>}
        <option value="ignored">ignored</option>
      </select>
      {role === 'mode' && <BinningFields {...{ column, columns, choice, onChange }} />}
    </div>
  )
}

/** The binning of a mode: several of a time, one rounding of a number, the grid of a place. */
function BinningFields({ column, columns, choice, onChange }: Props) {
  const { name } = column
  const { place } = choice
  const chosen = binningsOf(choice, name)
  const options = possibleBinnings(column)
  if (place && isPlaceColumn(choice, name))
    return (
      <select
        aria-label={`Grid of ${name}`}
        value={place.decimals}
        onChange={({ currentTarget }) =>
          onChange({ ...choice, place: { ...place, decimals: Number(currentTarget.value) }, edited: true })
        }
      >
        {[1, 2, 3, 4].map((decimals) => (
          <option key={decimals} value={decimals}>
            place to {10 ** -decimals}°
          </option>
        ))}
      </select>
    )
  if (isTime(column))
    return (
      <fieldset class="bins" aria-label={`Binning of ${name}`}>
        {options.map((option) => (
          <button
            key={option}
            type="button"
            class="answer"
            aria-pressed={chosen.includes(option)}
            onClick={() =>
              onChange(
                setBinnings(
                  choice,
                  columns,
                  name,
                  options.filter((one) => chosen.includes(one) !== (one === option)),
                ),
              )
            }
          >
            {option === 'none' ? 'as it is' : option}
          </button>
        ))}
      </fieldset>
    )
  if (options.length < 2) return null
  return (
    <select
      aria-label={`Binning of ${name}`}
      value={chosen[0]}
      onChange={({ currentTarget }) => onChange(setBinnings(choice, columns, name, [currentTarget.value]))}
    >
      {[...new Set([...options, ...chosen])].map((option) => (
        <option key={option} value={option}>
          {option === 'none'
            ? 'as it is'
            : option.replace(/^round (-?\d+)$/, (_, d) => `to ${10 ** -Number(d)}`)}
        </option>
      ))}
    </select>
  )
}
