/** The offer to go on with a run that a reload of the page has interrupted. */
import type { StoredCheckpoint } from '../state/index.ts'

interface Props {
  interrupted: StoredCheckpoint
  disabled: boolean
  onGoOn(): void
  onForget(): void
}

/** Shows the progress of an interrupted run, with buttons that continue it or give it up. */
export function InterruptedCard({ interrupted, disabled, onGoOn, onForget }: Props) {
  return (
    <section class="card stack" aria-label="Interrupted run">
      <p>
        A run was interrupted {progressOf(interrupted)}, when the page was closed or reloaded.
        {interrupted.bytes ? ' It can go on from its last checkpoint.' : ' It can be started again.'}
      </p>
      <div class="buttons">
        <button type="button" class="button primary" disabled={disabled} onClick={onGoOn}>
          Go on with the run
        </button>
        <button type="button" class="button quiet" onClick={onForget}>
          Give it up
        </button>
      </div>
    </section>
  )
}

/** A number of trials, as a clause. */
const describeTrials = (count: number): string =>
  count === 0 ? 'in its first trial' : count === 1 ? 'after one trial' : `after ${count} trials`

/** How far a run was, as a clause. */
function progressOf({ kind, history, trials }: StoredCheckpoint): string {
  if (kind === 'best') return describeTrials(trials.length)
  const epochs = history.at(-1)?.epoch
  return epochs === undefined ? 'at its beginning' : `after ${Math.round(epochs)} epochs`
}
