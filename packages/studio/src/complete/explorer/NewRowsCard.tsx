import { useState } from 'preact/hooks'
import type { ExploreProps } from './Explorer.tsx'
import type { ModelSummary } from './protocol.ts'

/** Rows that the model does not have, solved from a few entries while the others stay as they are. */
export function NewRowsCard({
  model,
  call,
  onFolded,
}: ExploreProps & { onFolded(model: ModelSummary, mode: number, label: string): void }) {
  const [lines, setLines] = useState('')
  const [message, setMessage] = useState('')
  const columns = [...model.modes.map(({ name }) => name), 'value']
  const add = () => {
    setMessage('')
    call.foldIn(lines).then(
      ({ model: larger, added }) => {
        const mode = added.findIndex((labels) => labels.length > 0)
        if (mode < 0) return setMessage('The model knows all of these rows already; nothing has changed.')
        const names = added.flatMap((labels, m) =>
          labels.length > 0 ? [`${model.modes[m].name} ${labels.join(', ')}`] : [],
        )
        setMessage(`New: ${names.join('; ')}. Look at “Best along a mode”.`)
        onFolded(larger, mode, added[mode][0])
      },
      (error: Error) => setMessage(error.message),
    )
  }
  return (
    <div class="stack">
      <p class="soft">
        A new row needs no new run: give some entries of it, and it is solved under what was learned of the
        others.
      </p>
      <label class="field">
        <span class="field-head">One entry per line: {columns.join(', ')}</span>
        <textarea rows={6} value={lines} onInput={({ currentTarget }) => setLines(currentTarget.value)} />
      </label>
      <div class="buttons">
        <button type="button" class="button" disabled={lines.trim() === ''} onClick={add}>
          Add to the model
        </button>
      </div>
      <p class="soft" aria-live="polite" data-testid="folded">
        {message}
      </p>
    </div>
  )
}
