/** A ranking: rows with their predictions, intervals, support and reasons. */
import { numberAsText } from 'lacuna/internal'
import { formatByError, formatCount, formatNumber } from 'lacuna-figures/numbers'
import type { Ranked } from '../../answers.ts'
import type { ModelSummary } from '../../protocol.ts'
import { Reasons } from './Reasons.tsx'
import { errorOfInterval, formatInterval, typicalError } from './typicalError.ts'

interface Props {
  ranked: readonly Ranked[]
  model: ModelSummary
  chosen: number | undefined
  onChoose(component: number | undefined): void
}

/** The rows from the largest score on; rows that the chosen component explains are lit up. */
export function RankingList({ ranked, model, chosen, onChoose }: Props) {
  const highest = ranked[0]?.score || 1
  const error = typicalError(model)
  const isBeyond = ranked.some(({ score, predicted }) => score !== predicted)
  return (
    <div class="stack tight">
      <ol class="ranking" aria-label="Ranking">
        {ranked.map(({ label, predicted, score, interval, observed, entries, components, because }) => (
          <li key={label} class={components.some(({ number }) => number === chosen) ? 'lit' : undefined}>
            <span class="bar" style={{ width: `${Math.max(0, Math.min(100, (100 * score) / highest))}%` }} />
            <span class="bar-label" title={label}>
              {label}
              {because && because.length > 0 && <small class="soft"> because of {because.join(', ')}</small>}
            </span>
            <span class="number">
              {formatByError(score, interval ? errorOfInterval(interval) || error : error)}
              {interval && (
                <small class="soft" title="90% prediction interval">
                  {' · '}
                  {formatInterval(interval)}
                </small>
              )}
              {observed !== undefined && <small class="soft"> · observed {formatNumber(observed)}</small>}
              {entries !== undefined && <small class="soft"> · {formatCount(entries)} entries</small>}
              <Reasons {...{ components, chosen, onChoose }} />
              {score !== predicted && (
                <span class="visually-hidden">limited to {formatNumber(predicted)}</span>
              )}
            </span>
          </li>
        ))}
      </ol>
      {isBeyond && model.range && (
        <p class="soft small">
          Scores beyond the observed values, {numberAsText(model.range[0])} to {numberAsText(model.range[1])},
          only order the rows: they are not limited, so that rows do not tie.
        </p>
      )}
    </div>
  )
}
