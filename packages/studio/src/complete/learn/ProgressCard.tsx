/** The progress of a run: numbers of its last round, the curve of its errors, and the trials of a search. */
import { formatNumber } from 'lacuna-figures/numbers'
import { ErrorChart, RunFigures } from '../../widgets/index.ts'
import type { TrialSummary } from '../protocol.ts'
import type { RunRecord } from '../state/index.ts'

/** The progress of a run: its rounds or its trials; empty before the first of them. */
export function ProgressCard({ run }: { run: RunRecord }) {
  const last = run.history.at(-1)
  const { activity, trials } = run
  if (!last && !activity && trials.length === 0) return null
  return (
    <section class="card stack" aria-label="Progress">
      {activity && <p class="soft">{activity} …</p>}
      {last && (
        <>
          <dl class="figures">
            <RunFigures last={last} known="Error of the known" />
          </dl>
          <ErrorChart history={run.history} known="known entries" heldOut="held-out entries" />
        </>
      )}
      {trials.length > 0 && <Trials trials={trials} />}
    </section>
  )
}

/** A table of the trials of a search, the best first. */
function Trials({ trials }: { trials: readonly TrialSummary[] }) {
  const sorted = [...trials].sort((a, b) => a.rmse - b.rmse)
  return (
    <details open={trials.length <= 12}>
      <summary>
        {trials.length === 1 ? 'One setting' : `${trials.length} settings`} tried; the best so far:{' '}
        {sorted[0].name}
      </summary>
      <div class="scroll">
        <table class="runs" aria-label="Trials">
          <thead>
            <tr>
              <th scope="col">Settings</th>
              <th scope="col">Error of entries left out (RMSE)</th>
              <th scope="col">Models</th>
            </tr>
          </thead>
          <tbody>
            {sorted.map(({ name, rmse, spread, folds }) => (
              <tr key={`${name} ${folds}`}>
                <td>{name}</td>
                <td class="number">
                  {formatNumber(rmse)} ± {formatNumber(spread)}
                </td>
                <td class="number">{folds}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
