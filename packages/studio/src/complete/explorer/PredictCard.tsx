/** The prediction of one cell. */
import { numberAsText } from 'lacuna/internal'
import { formatByError, formatNumber, formatPercent } from 'lacuna-figures/numbers'
import type { ExploreProps } from './shared/exploreProps.ts'
import { LabelField } from './shared/LabelField.tsx'
import { Reasons } from './shared/Reasons.tsx'
import { errorOfInterval, formatInterval, typicalError } from './shared/typicalError.ts'
import { useAnswer } from './shared/useAnswer.ts'

/** Fields that choose a cell; its prediction, interval, observed value and components. */
export function PredictCard({ model, labels, onLabel, chosen, onChoose, tables, call }: ExploreProps) {
  const { value: answer, problem } = useAnswer(() => call.predict(labels), [labels.join('\n'), model, tables])
  const interval = answer?.interval
  const error = interval ? errorOfInterval(interval) : typicalError(model)
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
        {problem !== undefined && <p class="soft">{problem}</p>}
        {answer && problem === undefined && (
          <>
            <dl class="figures">
              <div class="headline">
                <dt>Predicted</dt>
                <dd
                  data-testid="prediction"
                  data-exact={numberAsText(answer.predicted)}
                  title={numberAsText(answer.predicted)}
                >
                  {formatByError(answer.predicted, error)}
                </dd>
              </div>
              {interval ? (
                <div>
                  <dt>With a chance of {formatPercent(interval.level)}</dt>
                  <dd data-testid="interval">{formatInterval(interval)}</dd>
                </div>
              ) : (
                error !== undefined && (
                  <div>
                    <dt>Typical error</dt>
                    <dd>± {formatNumber(Number(error.toPrecision(2)))}</dd>
                  </div>
                )
              )}
              <div>
                <dt>Observed</dt>
                <dd data-testid="observed">
                  {answer.observed !== undefined
                    ? formatNumber(answer.observed)
                    : model.observed
                      ? 'not observed'
                      : 'not known without the data'}
                </dd>
              </div>
              <div>
                <dt>Due to components</dt>
                <dd>
                  <Reasons components={answer.components} {...{ chosen, onChoose }} />
                </dd>
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
