/** The list of the runs on a file: settings, scores, and the comparison of two. */
import { formatNumber, formatSeconds } from 'lacuna-figures/numbers'
import { useState } from 'preact/hooks'
import type { RunRecord } from '../state/index.ts'
import { areComparable, compareRuns, describeSettings, scoreOf, secondsOf } from './describeRun.ts'

interface Props {
  runs: readonly RunRecord[]
  shown: number | undefined
  onShow(run: RunRecord): void
  onRemove(run: RunRecord): void
}

/**
 * A table of runs, from the second on or with one that has failed: show one, compare two, remove one. Nothing is
 * overwritten.
 */
export function RunsCard({ runs, shown, onShow, onRemove }: Props) {
  const [ticked, setTicked] = useState<readonly number[]>([])
  const compared = ticked.flatMap((id) => runs.find((run) => run.id === id) ?? [])
  if (runs.length < 2 && !runs.some(({ status }) => status === 'failed')) return null
  /** Ticks a run or unticks it; of three, the first is unticked. */
  const tick = (id: number): void =>
    setTicked(ticked.includes(id) ? ticked.filter((other) => other !== id) : [...ticked, id].slice(-2))
  return (
    <section class="card stack" aria-label="Runs">
      <h2>Runs</h2>
      <div class="scroll">
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">Compare</th>
              <th scope="col">Run</th>
              <th scope="col">Settings</th>
              <th scope="col">Held-out RMSE</th>
              <th scope="col">Time</th>
              <th scope="col">
                <span class="hidden-text">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run, at) => (
              <RunRow
                key={run.id}
                {...{ run, at, onShow, onRemove }}
                isShown={run.id === shown}
                isTicked={ticked.includes(run.id)}
                onTick={() => tick(run.id)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {compared.length === 2 && (
        <Comparison runs={compared} names={compared.map((run) => nameOf(runs, run))} />
      )}
    </section>
  )
}

/** The number of a run in the list, from 1. */
const nameOf = (runs: readonly RunRecord[], run: RunRecord): string => `Run ${runs.indexOf(run) + 1}`

interface RowProps extends Pick<Props, 'onShow' | 'onRemove'> {
  run: RunRecord
  at: number
  isShown: boolean
  isTicked: boolean
  onTick(): void
}

/** A run: its settings, its error and its time. */
function RunRow({ run, at, isShown, isTicked, onTick, onShow, onRemove }: RowProps) {
  const score = scoreOf(run)
  const seconds = secondsOf(run)
  const isActive = run.status === 'running' || run.status === 'paused'
  const isFailed = run.status === 'failed'
  return (
    <tr aria-current={isShown}>
      <td>
        <input
          type="checkbox"
          aria-label={`Compare run ${at + 1}`}
          checked={isTicked}
          disabled={isFailed}
          onChange={onTick}
        />
      </td>
      <th scope="row">{at + 1}</th>
      <td>
        {describeSettings(run)}
        {run.fault !== undefined && <p class="alarm small">{run.fault}</p>}
      </td>
      <td class="number">
        {isActive || isFailed ? run.status : score === undefined ? '–' : formatNumber(score)}
      </td>
      <td class="number">{seconds === undefined ? '–' : formatSeconds(seconds)}</td>
      <td>
        <div class="buttons">
          {!isFailed && (
            <button type="button" class="button small" disabled={isShown} onClick={() => onShow(run)}>
              {isShown ? 'Shown' : 'Show'}
            </button>
          )}
          <button
            type="button"
            class="button quiet small"
            aria-label={`Remove run ${at + 1}`}
            disabled={isActive}
            onClick={() => onRemove(run)}
          >
            Remove
          </button>
        </div>
      </td>
    </tr>
  )
}

/** Two runs side by side: what differs, and their scores. */
function Comparison({ runs: [a, b], names }: { runs: readonly RunRecord[]; names: readonly string[] }) {
  return (
    <div class="stack tight" data-testid="comparison">
      <table class="runs">
        <thead>
          <tr>
            <th scope="col">
              <span class="hidden-text">What is compared</span>
            </th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {compareRuns(a, b).map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{values[0]}</td>
              <td>{values[1]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {!areComparable(a, b) && (
        <p class="soft small">
          The two were checked on different entries: small differences of their errors mean nothing.
        </p>
      )}
    </div>
  )
}
