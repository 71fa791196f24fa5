import { useEffect, useState } from 'preact/hooks'
import { figure, float32Text, percent } from '../numbers.ts'
import type { ExploreProps } from './Explorer.tsx'
import { LabelField } from './LabelField.tsx'
import type { Prediction } from './protocol.ts'

/** One cell: what the model says, and what was observed. */
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
                <dd data-testid="prediction">{float32Text(answer.predicted)}</dd>
              </div>
              {answer.interval && (
                <div>
                  <dt>With a chance of {percent(answer.interval.level)}</dt>
                  <dd data-testid="interval">
                    {figure(answer.interval.low)} to {figure(answer.interval.high)}
                  </dd>
                </div>
              )}
              <div>
                <dt>Observed</dt>
                <dd>{answer.observed === undefined ? 'not observed' : figure(answer.observed)}</dd>
              </div>
            </dl>
            {answer.unseen.length > 0 && (
              <p class="soft small">
                Nothing was observed of this {answer.unseen.join(' and ')}: the mean of the others stands in.
              </p>
            )}
          </>
        )}
      </div>
    </div>
  )
}
