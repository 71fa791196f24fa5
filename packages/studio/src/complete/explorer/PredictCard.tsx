/** The prediction of one cell. */
import { numberAsText } from 'lacuna/internal'
import { formatNumber, formatPercent } from 'lacuna-figures/numbers'
import { useEffect, useState } from 'preact/hooks'
import type { Prediction } from '../protocol.ts'
import type { ExploreProps } from './exploreProps.ts'
import { LabelField } from './LabelField.tsx'

/** Fields that choose a cell; its prediction, interval and observed value. */
export function PredictCard({ model, labels, onLabel, call }: ExploreProps) {
  const [answer, setAnswer] = useState<Prediction | string>()
  useEffect(() => {
    let current = true
    call.predict(labels).then(
      (prediction) => current && setAnswer(prediction),
      (error: Error) => current && setAnswer(error.message),
    )
    return () => {
      current = false
    }
  }, [labels.join('\n'), model])
  return (
    <div class="stack">
      <div class="pair wide">
        {model.modes.map((mode, m) => (
          <LabelField
            key={mode.name}
            {...mode}
            value={labels[m]}
            onChange={(value) => onLabel(m, value)}
            suggest={(text) => call.suggest(m, text)}
          />
        ))}
      </div>
      <div aria-live="polite">
        {typeof answer === 'string' && <p class="soft">{answer}</p>}
        {typeof answer === 'object' && (
          <>
            <dl class="figures">
              <div class="headline">
                <dt>Predicted</dt>
                <dd data-testid="prediction">{numberAsText(answer.predicted)}</dd>
              </div>
              {answer.interval && (
                <div>
                  <dt>With a chance of {formatPercent(answer.interval.level)}</dt>
                  <dd data-testid="interval">
                    {formatNumber(answer.interval.low)} to {formatNumber(answer.interval.high)}
                  </dd>
                </div>
              )}
              <div>
                <dt>Observed</dt>
                <dd>{answer.observed === undefined ? 'not observed' : formatNumber(answer.observed)}</dd>
              </div>
            </dl>
            {answer.unobservedModes.length > 0 && (
              <p class="soft small">
                Nothing was observed of this {answer.unobservedModes.join(' and ')}: the mean of the others
                stands in.
              </p>
            )}
          </>
        )}
      </div>
    </div>
  )
}
