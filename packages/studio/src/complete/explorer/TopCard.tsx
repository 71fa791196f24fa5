/** The rows of a mode with the largest predictions. */

import { formatNumber } from 'lacuna-figures/numbers'
import { useEffect, useState } from 'preact/hooks'
import type { Ranked } from '../protocol.ts'
import type { ExploreProps } from './exploreProps.ts'
import { LabelField } from './LabelField.tsx'

/** Fields that choose a mode and fix the others; the ranking of its rows. */
export function TopCard({ model, labels, onLabel, call }: ExploreProps) {
  const [mode, setMode] = useState(model.modes.length - 1)
  const [most, setMost] = useState(10)
  const [skip, setSkip] = useState(false)
  const [minEntries, setMinEntries] = useState(1)
  const [ranked, setRanked] = useState<Ranked[] | string>([])
  const others = model.modes.map((_, m) => m).filter((m) => m !== mode)
  useEffect(() => {
    let current = true
    call.top(labels, mode, most, { skipObserved: skip, minEntries }).then(
      (found) => current && setRanked(found),
      (error: Error) => current && setRanked(error.message),
    )
    return () => {
      current = false
    }
  }, [labels.join('\n'), mode, most, skip, minEntries, model])
  const highest = typeof ranked === 'string' ? 1 : (ranked[0]?.predicted ?? 1)
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
            value={labels[m]}
            onChange={(value) => onLabel(m, value)}
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
      </div>
      <label class="field">
        <span class="field-head">Entries that a row must have</span>
        <input
          type="number"
          min={0}
          value={minEntries}
          onInput={({ currentTarget }) => setMinEntries(Math.max(0, Number(currentTarget.value) || 0))}
        />
      </label>
      {model.observed && (
        <label class="check">
          <input
            type="checkbox"
            checked={skip}
            onChange={({ currentTarget }) => setSkip(currentTarget.checked)}
          />
          Only what was not observed
        </label>
      )}
      {typeof ranked === 'string' ? (
        <p class="soft">{ranked}</p>
      ) : (
        <ol class="ranking">
          {ranked.map(({ label, predicted, observed, entries, components }) => (
            <li key={label}>
              <span class="bar" style={{ width: `${(100 * predicted) / (highest || 1)}%` }} />
              <span class="bar-label">{label}</span>
              <span class="number">
                {formatNumber(predicted)}
                {observed !== undefined && <small class="soft"> observed {formatNumber(observed)}</small>}
                {entries !== undefined && <small class="soft"> {entries} entries</small>}
                {components.length > 0 && (
                  <small class="soft" title="components that made it so">
                    {' '}
                    by {components.join(', ')}
                  </small>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
