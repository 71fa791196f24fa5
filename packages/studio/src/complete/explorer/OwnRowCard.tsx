/** A row of the user's own: a few values, and what would be best for it. */
import { numberAsText } from 'lacuna/internal'
import { useId, useRef, useState } from 'preact/hooks'
import type { OwnRow } from '../answers.ts'
import type { ModelMode, ModelSummary } from '../protocol.ts'
import { PasteRows } from './PasteRows.tsx'
import { ownRowQuestion } from './shared/defaultQuestion.ts'
import type { ExploreProps } from './shared/exploreProps.ts'
import { LabelField } from './shared/LabelField.tsx'
import { RankingList } from './shared/RankingList.tsx'
import { useAnswer } from './shared/useAnswer.ts'

/** The number of rows that are suggested. */
const SUGGESTED = 10
/** Rows with fewer entries are not suggested to a row of few values. */
const LEAST_ENTRIES = 5

interface Props extends ExploreProps {
  /** The row as it was typed before; undefined before it is begun. */
  own: OwnRow | undefined
  onOwn(own: OwnRow): void
  onFoldIn(model: ModelSummary, mode: number, label: string): void
  /** Called with the model after rows of these labels, per mode, were removed from it. */
  onRemove(model: ModelSummary, labels: readonly string[][]): void
}

/** Why something cannot be done, and names to choose from instead. */
interface Problem {
  text: string
  near?: readonly string[]
}

/**
 * Collects values along one mode for a new row of another one, folds the row in and ranks the first mode for
 * it: rate five films and get ten.
 */
export function OwnRowCard({ own: typed, onOwn, onFoldIn, onRemove, ...props }: Props) {
  const { model, labels, onLabel, call, chosen, onChoose } = props
  const { ranked: itemMode, asked: ownMode } = ownRowQuestion(model.modes)
  const own = typed ?? newRow(model, ownMode)
  const { name, text, value, given, best } = own
  const [refused, setRefused] = useState<Problem>()
  const [message, setMessage] = useState('')
  const problemId = useId()
  const item = model.modes[itemMode]
  const others = model.modes.map((_, mode) => mode).filter((mode) => mode !== itemMode && mode !== ownMode)
  const averaged = others.flatMap((mode) => (model.modes[mode].isTime ? [model.modes[mode].name] : []))
  // What is typed while the worker answers must not be lost.
  const latest = useRef(own)
  latest.current = own
  const change = (changes: Partial<OwnRow>): void => {
    latest.current = { ...latest.current, ...changes }
    onOwn(latest.current)
  }

  const add = async (wanted: string): Promise<void> => {
    const number = value.trim() === '' ? Number.NaN : Number(value)
    const fault = faultOf(number, model.range)
    if (fault) return setRefused({ text: fault })
    const { label, near, problem } = await call.findRow(itemMode, wanted)
    if (label === undefined) return setRefused({ text: problem ?? '', near })
    setRefused(undefined)
    const now = latest.current
    change({
      text: now.text === text ? '' : now.text,
      given: [...now.given.filter((each) => each.label !== label), { label, value: number }],
    })
  }
  /** The labels of a cell of the new row. */
  const cellOf = (label: string): string[] =>
    labels.map((old, mode) => (mode === ownMode ? name.trim() : mode === itemMode ? label : old))
  const asked = JSON.stringify([name.trim(), given, others.map((mode) => labels[mode])])
  const ask = async (): Promise<void> => {
    setMessage('')
    try {
      const entries = given.map(({ label, value }) => ({ labels: cellOf(label), value }))
      const { model: larger } = await call.foldRow(ownMode, name.trim(), entries, own.folded)
      const fixed = cellOf('').map((label, mode) => (model.modes[mode].isTime ? '' : label))
      const best = await call.suggestFor(fixed, itemMode, SUGGESTED, LEAST_ENTRIES, [...given])
      change({ best, asked, folded: name.trim() })
      onFoldIn(larger, ownMode, name.trim())
    } catch (error) {
      setMessage((error as Error).message)
    }
  }
  const { value: ownRows } = useAnswer(() => call.ownRows(), [model])
  /** Removes rows of the user's own from the model; what is typed of the edited one stays. */
  const remove = async (nth: number): Promise<void> => {
    setMessage('')
    try {
      const smaller = await call.removeOwnRows(nth)
      const gone = ownRows?.[nth].labels ?? []
      if (own.folded !== undefined && gone[ownMode]?.includes(own.folded))
        change({ folded: undefined, best: undefined, asked: undefined })
      onRemove(smaller, gone)
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
          <input
            type="text"
            value={name}
            onInput={({ currentTarget }) => change({ name: currentTarget.value })}
          />
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
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (text.trim() !== '') void add(text)
        }}
      >
        <LabelField
          {...item}
          value={text}
          placeholder={`search ${item.name}`}
          onChange={(next) => change({ text: next })}
          suggest={(part) => call.suggest(itemMode, part)}
        />
        <label class="field">
          <span class="field-head">Value</span>
          <input
            type="number"
            step="any"
            value={value}
            aria-describedby={refused && problemId}
            onInput={({ currentTarget }) => change({ value: currentTarget.value })}
          />
          {model.range && (
            <small>
              from {numberAsText(model.range[0])} to {numberAsText(model.range[1])}
            </small>
          )}
        </label>
        <button type="submit" class="button" disabled={text.trim() === ''}>
          Add
        </button>
      </form>
      {refused && (
        <p id={problemId} class="alarm" role="status" data-testid="refused">
          {refused.text}
          {refused.near && refused.near.length > 0 && (
            <>
              {' '}
              Did you mean{' '}
              {refused.near.map((label, n) => (
                <span key={label}>
                  {n > 0 && ', '}
                  <button type="button" class="link" onClick={() => void add(label)}>
                    {label}
                  </button>
                </span>
              ))}
              ?
            </>
          )}
        </p>
      )}
      {given.length > 0 && (
        <ul class="given" aria-label="Given values">
          {given.map(({ label, value }) => (
            <li key={label}>
              {label} <b class="number">{value}</b>
              <button
                type="button"
                class="link"
                aria-label={`Remove ${label}`}
                onClick={() => change({ given: given.filter((each) => each.label !== label) })}
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
          disabled={given.length === 0 || name.trim() === ''}
          onClick={() => void ask()}
        >
          What suits {name.trim() || 'it'}?
        </button>
      </div>
      {message !== '' && (
        <p class="alarm" role="status" data-testid="own-problem">
          {message}
        </p>
      )}
      {best && own.asked !== asked && (
        <p class="soft small">This is the answer to the values before; ask again for these.</p>
      )}
      {best && <RankingList ranked={best} {...{ model, chosen, onChoose }} />}
      {best && model.hasIntervals && averaged.length > 0 && (
        <p class="soft small">Means over {averaged.join(' and ')} have no intervals.</p>
      )}
      {ownRows && ownRows.length > 0 && (
        <div class="stack tight">
          <h3>Rows of your own in the model</h3>
          <ul class="given" aria-label="Rows of your own in the model">
            {ownRows.map(({ labels: added }, nth) => {
              const text = describeRows(added, model)
              return (
                <li key={text}>
                  {text}
                  <button
                    type="button"
                    class="link"
                    aria-label={`Remove the row ${text}`}
                    onClick={() => void remove(nth)}
                  >
                    remove
                  </button>
                </li>
              )
            })}
          </ul>
        </div>
      )}
      <details>
        <summary>Paste several rows</summary>
        <PasteRows {...{ model, call, onFoldIn }} />
      </details>
    </div>
  )
}

/** Rows of the user's own in words: user you. @param added per mode, their labels */
const describeRows = (added: readonly string[][], { modes }: ModelSummary): string =>
  added
    .flatMap((labels, mode) => (labels.length > 0 ? [`${modes[mode].name} ${labels.join(', ')}`] : []))
    .join('; ')

/** A row before anything is typed. @param mode its mode */
function newRow({ modes, range }: ModelSummary, mode: number): OwnRow {
  return { name: nameOfNew(modes[mode]), text: '', value: String(range?.[1] ?? 5), given: [] }
}

/** The name that is proposed for a new row: its number where rows are numbers. */
const nameOfNew = ({ labelled, size }: ModelMode): string => (labelled ? 'you' : String(size + 1))

/** Why a value cannot be given, as a sentence; undefined if it can. */
function faultOf(value: number, range: ModelSummary['range']): string | undefined {
  if (Number.isNaN(value)) return 'Give a value, as a number.'
  if (!range || (value >= range[0] && value <= range[1])) return undefined
  const [low, high] = range.map(numberAsText)
  return `${numberAsText(value)} is outside the values of the data, ${low} to ${high}; give a value between them.`
}
