/** A row of the user's own: a few values, and what would be best for it. */
import { useState } from 'preact/hooks'
import type { Ranked } from '../answers.ts'
import type { ModelSummary } from '../protocol.ts'
import { PasteRows } from './PasteRows.tsx'
import { defaultQuestion } from './shared/defaultQuestion.ts'
import type { ExploreProps } from './shared/exploreProps.ts'
import { LabelField } from './shared/LabelField.tsx'
import { RankingList } from './shared/RankingList.tsx'

/** A value that was given. */
interface Given {
  label: string
  value: number
}

/** The number of rows that are suggested. */
const SUGGESTED = 10
/** Rows with fewer entries are not suggested to a row of few values. */
const LEAST_ENTRIES = 5

interface Props extends ExploreProps {
  onFoldIn(model: ModelSummary, mode: number, label: string): void
}

/**
 * Collects values along one mode for a new row of another one, folds the row in and ranks the first mode for
 * it: rate five films and get ten.
 */
export function OwnRowCard({ onFoldIn, ...props }: Props) {
  const { model, labels, onLabel, call, chosen, onChoose } = props
  const { ranked: itemMode, asked: ownMode } = defaultQuestion(model.modes)
  const [low, high] = model.range ?? [0, 5]
  const [name, setName] = useState('you')
  const [text, setText] = useState('')
  const [value, setValue] = useState(high)
  const [given, setGiven] = useState<Given[]>([])
  const [best, setBest] = useState<Ranked[]>()
  const [message, setMessage] = useState('')
  const [rounds, setRounds] = useState(1)
  const item = model.modes[itemMode]
  const others = model.modes.map((_, mode) => mode).filter((mode) => mode !== itemMode && mode !== ownMode)

  const add = (): void => {
    if (text === '') return
    setGiven([...given.filter(({ label }) => label !== text), { label: text, value }])
    setText('')
  }
  /** The labels of a cell of the new row. */
  const cellOf = (own: string, label: string): string[] =>
    labels.map((old, mode) => (mode === ownMode ? own : mode === itemMode ? label : old))
  const ask = async (): Promise<void> => {
    setMessage('')
    // A row that was folded in stays as it is: other values make another row.
    const own = rounds === 1 ? name : `${name} ${rounds}`
    try {
      const entries = given.map(({ label, value }) => ({ labels: cellOf(own, label), value }))
      const { model: larger } = await call.foldRow(ownMode, own, entries)
      const asked = cellOf(own, '').map((label, mode) => (model.modes[mode].isTime ? '' : label))
      setBest(await call.suggestFor(asked, itemMode, SUGGESTED, LEAST_ENTRIES, given))
      setRounds(rounds + 1)
      onFoldIn(larger, ownMode, own)
    } catch (error) {
      setMessage((error as Error).message)
    }
  }
  return (
    <div class="stack">
      <p class="soft">
        Give some values of a row of your own, such as five films you know: it is solved under what was
        learned of the others, without a new run, and you get what would suit it.
      </p>
      <div class="pair wide">
        <label class="field">
          <span class="field-head">Name of the new {model.modes[ownMode].name}</span>
          <input type="text" value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
        </label>
        {others.map((mode) => (
          <LabelField
            key={mode}
            {...model.modes[mode]}
            value={labels[mode]}
            onChange={(label) => onLabel(mode, label)}
            suggest={(part) => call.suggest(mode, part)}
          />
        ))}
      </div>
      <form
        class="own-entry"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <LabelField
          {...item}
          value={text}
          placeholder={`search ${item.name}`}
          onChange={setText}
          suggest={(part) => call.suggest(itemMode, part)}
        />
        <label class="field">
          <span class="field-head">Value</span>
          <input
            type="number"
            step="any"
            value={value}
            onInput={({ currentTarget }) => setValue(Number(currentTarget.value))}
          />
          <small>
            from {low} to {high}
          </small>
        </label>
        <button type="submit" class="button" disabled={text === ''}>
          Add
        </button>
      </form>
      {given.length > 0 && (
        <ul class="given" aria-label="Given values">
          {given.map(({ label, value }) => (
            <li key={label}>
              {label} <b class="number">{value}</b>
              <button
                type="button"
                class="link"
                aria-label={`Remove ${label}`}
                onClick={() => setGiven(given.filter((each) => each.label !== label))}
              >
                remove
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="buttons">
        <button
          type="button"
          class="button primary"
          disabled={given.length === 0 || name === ''}
          onClick={() => void ask()}
        >
          What suits {name || 'it'}?
        </button>
      </div>
      {message !== '' && (
        <p class="soft" role="status">
          {message}
        </p>
      )}
      {best && <RankingList ranked={best} {...{ model, chosen, onChoose }} />}
      <details>
        <summary>Paste several rows</summary>
        <PasteRows {...{ model, call, onFoldIn }} />
      </details>
    </div>
  )
}
