/** The rows of a mode with the largest predictions. */
import { useEffect, useState } from 'preact/hooks'
import { defaultQuestion } from './shared/defaultQuestion.ts'
import { type ExploreProps, hasOwnRows } from './shared/exploreProps.ts'
import { LabelField } from './shared/LabelField.tsx'
import { RankingList } from './shared/RankingList.tsx'
import { useAnswer } from './shared/useAnswer.ts'

/** Fields that choose a mode and fix the others, or average over them; the ranking of its rows. */
export function TopCard({ model, labels, onLabel, chosen, onChoose, tables, call }: ExploreProps) {
  const [mode, setMode] = useState(() => defaultQuestion(model.modes).ranked)
  const [most, setMost] = useState(10)
  const [skip, setSkip] = useState(false)
  const [minEntries, setMinEntries] = useState(1)
  /** The modes that are averaged over: at first those of times. */
  const [averaged, setAveraged] = useState<readonly number[]>(() =>
    model.modes.flatMap(({ isTime }, m) => (isTime ? [m] : [])),
  )
  const others = model.modes.map((_, m) => m).filter((m) => m !== mode)
  const unfixed = others.flatMap((m) =>
    averaged.includes(m) || labels[m] === '' ? [model.modes[m].name] : [],
  )
  const asked = labels.map((label, m) => (averaged.includes(m) ? '' : label))
  const { value: ranked, problem } = useAnswer(
    () => call.top(asked, mode, most, { skipObserved: skip, minEntries }),
    [asked.join('\n'), mode, most, skip, minEntries, model, tables],
  )
  // Ranking a mode of times means to ask about it: then nothing is averaged.
  useEffect(() => setAveraged((old) => old.filter((m) => m !== mode)), [mode])
  const setLabel = (m: number, label: string): void => {
    setAveraged(label === '' ? [...averaged, m] : averaged.filter((each) => each !== m))
    if (label !== '') onLabel(m, label)
  }
  return (
    <div class="stack">
      <div class="pair wide">
        <label class="field">
          <span class="field-head">Rank the rows of</span>
          <select value={mode} onChange={({ currentTarget }) => setMode(Number(currentTarget.value))}>
            {model.modes.map(({ name }, m) => (
              <option key={name} value={m}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {others.map((m) => (
          <LabelField
            key={m}
            {...model.modes[m]}
            value={asked[m]}
            placeholder="on average"
            onChange={(value) => setLabel(m, value)}
            suggest={(text) => call.suggest(m, text)}
          />
        ))}
        <label class="field">
          <span class="field-head">How many</span>
          <select value={most} onChange={({ currentTarget }) => setMost(Number(currentTarget.value))}>
            {[5, 10, 20, 50].map((n) => (
              <option key={n} value={n}>
                {n}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span class="field-head">Entries that a row must have</span>
          <input
            type="number"
            min={0}
            value={minEntries}
            onInput={({ currentTarget }) => setMinEntries(Math.max(0, Number(currentTarget.value) || 0))}
          />
        </label>
      </div>
      {(model.observed || hasOwnRows(model)) && (
        <label class="check">
          <input
            type="checkbox"
            checked={skip}
            onChange={({ currentTarget }) => setSkip(currentTarget.checked)}
          />
          Only what was not observed{!model.observed && ' in rows of your own'}
        </label>
      )}
      {problem !== undefined ? (
        <p class="soft">{problem}</p>
      ) : (
        <RankingList ranked={ranked ?? []} {...{ model, chosen, onChoose }} />
      )}
      {model.hasIntervals && unfixed.length > 0 && (
        <p class="soft small" data-testid="no-intervals">
          Means over {unfixed.join(' and ')} have no intervals; fill in {unfixed.join(' and ')} to get them.
        </p>
      )}
    </div>
  )
}
