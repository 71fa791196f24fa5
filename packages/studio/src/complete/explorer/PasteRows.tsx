/** Fold-in of many rows from lines that the user pastes. */
import { useState } from 'preact/hooks'
import type { ModelSummary } from '../protocol.ts'
import type { ExploreProps } from './shared/exploreProps.ts'

/** A text field for entries of new rows, and a button that folds them in. */
export function PasteRows({
  model,
  call,
  onFoldIn,
}: Pick<ExploreProps, 'model' | 'call'> & {
  onFoldIn(model: ModelSummary, mode: number, label: string): void
}) {
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
        onFoldIn(larger, mode, added[mode][0])
      },
      (error: Error) => setMessage(error.message),
    )
  }
  return (
    <div class="stack">
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
