/**
 * The first rows of a table, with the role of each column in its head. The melted columns of a wide table are one
 * column here, and of very many columns some are shown at a time.
 */
import type { ColumnSummary } from 'lacuna/internal'
import { formatCount } from 'lacuna-figures/numbers'
import { useState } from 'preact/hooks'
import { roleOf, type TableChoice, type Understanding } from '../understanding/index.ts'
import { ColumnHead } from './ColumnHead.tsx'

interface Props {
  understanding: Understanding
  choice: TableChoice
  onChange(choice: TableChoice): void
}

/** The number of columns that are shown at a time. */
const SHOWN = 16
/** Melted columns are shown as one if there are more than this. */
const FEWEST_COLLAPSED = 3

/** The first rows of a table. */
export function PreviewTable({ understanding, choice, onChange }: Props) {
  const [text, setText] = useState('')
  const [shown, setShown] = useState(SHOWN)
  const { columns, preview } = understanding
  const roles = columns.map(({ name }) => roleOf(choice, name))
  const melted = columns.flatMap((_, c) => (roles[c] === 'melted' ? [c] : []))
  const isCollapsed = melted.length > FEWEST_COLLAPSED && text === ''
  const matches = columns.flatMap(({ name }, c) =>
    (isCollapsed && roles[c] === 'melted') || !name.toLowerCase().includes(text.toLowerCase()) ? [] : [c],
  )
  const visible = matches.slice(0, shown)
  const hidden = matches.length - visible.length
  return (
    <div class="preview">
      {columns.length > SHOWN && (
        <label class="field find-column">
          <span class="field-head">Find one of {formatCount(columns.length)} columns</span>
          <input type="search" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard */}
      <section class="preview-scroll" aria-label="First rows" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {visible.map((c) => (
                <th key={columns[c].name} scope="col">
                  <ColumnHead column={columns[c]} {...{ columns, choice, onChange }} />
                </th>
              ))}
              {isCollapsed && (
                <th scope="col">
                  <MeltedHead columns={melted.map((c) => columns[c])} mode={choice.melt ?? ''} />
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {preview.map((row, r) => (
              <tr key={r}>
                {visible.map((c) => (
                  <td key={columns[c].name} class={roles[c]}>
                    {row[c] ?? '…'}
                  </td>
                ))}
                {isCollapsed && (
                  <td class="melted">
                    {melted
                      .slice(0, 4)
                      .map((c) => row[c] || '–')
                      .join(', ')}{' '}
                    …
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {hidden > 0 && (
        <button type="button" class="button quiet" onClick={() => setShown(shown + SHOWN)}>
          Show {Math.min(SHOWN, hidden)} more of {formatCount(hidden)} columns
        </button>
      )}
    </div>
  )
}

/** The head of the melted columns. */
function MeltedHead({ columns, mode }: { columns: readonly ColumnSummary[]; mode: string }) {
  return (
    <div class="column-head melted">
      <b>
        {columns[0].name} … {columns.at(-1)?.name}
      </b>
      <span>
        {formatCount(columns.length)} columns, labels of <b>{mode}</b>
      </span>
    </div>
  )
}
