/**
 * Shows the quality of a model: its error on entries that it has not seen, beside baselines, and its
 * calibration.
 */
import { formatCount, formatNumber } from 'lacuna-figures/numbers'
import { FileButton, useBringIntoView } from '../../widgets/index.ts'
import { ACCEPT } from '../opening/index.ts'
import type { ModelSummary, Verdict } from '../protocol.ts'
import type { RunRecord } from '../state/index.ts'
import { CalibrationChart } from './CalibrationChart.tsx'

interface Props {
  run: RunRecord
  /** Why the run does not belong to the settings that are shown, if it does not. */
  stale?: 'reading' | 'settings'
  /** Evaluates the model on a test file. */
  onTest(file: File): void
}

/** The verdict on a run that has ended. */
export function VerdictCard({ run, stale, onTest }: Props) {
  const { model } = run
  const isDone = run.status === 'done'
  const card = useBringIntoView<HTMLElement>(isDone)
  if (!model || !isDone || !run.settings) return null
  const { verdict } = model
  return (
    <section class="card stack" aria-label="Verdict" data-run={run.id} ref={card}>
      <h2>{headline(verdict)}</h2>
      {stale && (
        <p class="stale" data-testid="stale">
          {stale === 'reading'
            ? 'This model was learned from the file as it was read before.'
            : 'The settings have changed since this model was learned.'}{' '}
          Run again for a new one; this one stays.
        </p>
      )}
      {verdict ? (
        <VerdictText {...verdict} />
      ) : (
        <p data-testid="not-judged">
          How good it is where nothing was observed is not known:{' '}
          {model.notJudged ?? 'hold out some entries (“More”), or learn by folds'}.
        </p>
      )}
      {model.chosen && <p class="soft small">Chosen by trials: {model.chosen}.</p>}
      {model.leftOut && model.leftOut.length > 0 && (
        <p class="soft small">Left out: {model.leftOut.join('; ')}.</p>
      )}
      {model.calibration && verdict && <CalibrationChart calibration={model.calibration} on={verdict.on} />}
      {run.tests.map(({ name, verdict, calibration, remarks }) => (
        <div key={name} class="stack tight" data-testid="test">
          <h3>{name}</h3>
          <VerdictText {...verdict} />
          {remarks.map((remark) => (
            <p key={remark} class="soft small">
              {remark}
            </p>
          ))}
          <CalibrationChart calibration={calibration} on={name} />
        </div>
      ))}
      <div class="buttons">
        <FileButton accept={ACCEPT} label="Evaluate on a test file …" onFile={onTest} />
      </div>
      <p class="soft small" role="status">
        Done: {model.stopped}.
      </p>
    </section>
  )
}

/** The verdict in a few words. */
function headline(verdict: Verdict | undefined): string {
  if (!verdict) return 'Not judged'
  return verdict.isWorthUsing ? 'Worth using' : 'No better than guessing'
}

/** The comparison with baselines as a sentence, and their errors. */
function VerdictText({ text, rmse, baselines, entries, isWorthUsing }: Verdict) {
  return (
    <>
      <p class={isWorthUsing ? undefined : 'alarm'} data-testid="verdict">
        {text}
      </p>
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">Predicted by</th>
            <th scope="col">Error (RMSE){entries !== undefined && ` on ${formatCount(entries)} entries`}</th>
          </tr>
        </thead>
        <tbody>
          <tr aria-current="true">
            <th scope="row">this model</th>
            <td class="number">{formatNumber(rmse)}</td>
          </tr>
          {baselines.map(({ name, rmse }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{formatNumber(rmse)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

/** The error of an ensemble on entries that its models had not seen. */
export function OutOfFold({ rmse, by, verdict, hasNeighbours }: NonNullable<ModelSummary['outOfFold']>) {
  return (
    <>
      <p data-testid="verdict">
        Each has not seen some entries ({by}), and predicts them with an error of {formatNumber(rmse)} (RMSE):{' '}
        {verdict}.
      </p>
      {hasNeighbours && (
        <p class="soft small">Residuals of neighbouring entries correct what the models say.</p>
      )}
    </>
  )
}
