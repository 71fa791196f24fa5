/** The tables beside the data: which names and attributes of rows are used. */
import { formatCount } from 'lacuna-figures/numbers'
import type { SideTable } from '../sideTables.ts'

interface Props {
  tables: readonly SideTable[]
  onRemove(table: SideTable): void
}

/** A list of the tables, each with a button that removes it; nothing if there are none. */
export function TablesList({ tables, onRemove }: Props) {
  if (tables.length === 0) return null
  return (
    <ul class="sessions" aria-label="Tables beside the data">
      {tables.map((table) => (
        <li key={`${table.kind} ${table.mode}`}>
          <small>{describeTable(table)}</small>
          <button
            type="button"
            class="button quiet small"
            aria-label={`Remove the ${table.kind} of ${table.mode}`}
            onClick={() => onRemove(table)}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  )
}

/** Describes a table: its content, and its origin. */
const describeTable = (table: SideTable): string =>
  table.kind === 'names'
    ? `${formatCount(table.names.length)} names of ${table.mode} from ${table.file}`
    : `Attributes of ${table.mode} (${table.columns.join(', ')}) from ${table.file}`
