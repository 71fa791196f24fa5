/** Buttons that start, pause and stop a restoration, and what prevents one. */
import type { Bench } from './useBench.ts'

/** The controls of the run. */
export function RunControls({ bench }: { bench: Bench }) {
  const { restoration, canStart, tooLarge, stopped } = bench
  const { status, progress } = restoration
  const isActive = status === 'running' || status === 'paused'
  return (
    <div class="group run-controls">
      {stopped && (
        <div class="remark-box" role="status">
          <p>
            A run was stopped when the page was reloaded
            {stopped.regions > 0 &&
              `; ${stopped.regions === 1 ? 'a region is' : `${stopped.regions} regions are`} done`}
            .
          </p>
          <div class="buttons">
            <button type="button" class="button" onClick={() => bench.start(stopped.finest)}>
              Go on
            </button>
            <button type="button" class="button quiet" onClick={bench.leaveStopped}>
              Leave it
            </button>
          </div>
        </div>
      )}
      {tooLarge && !isActive && (
        <div class="remark-box alarm" role="alert">
          <p>
            {tooLarge.number === 1 ? 'A hole is' : `${tooLarge.number} holes are`} too large for this method:{' '}
            {tooLarge.number === 1 ? 'its middle is' : 'the middle of the largest is'} {tooLarge.deepest}{' '}
            pixels from the nearest known one. Beyond {tooLarge.limit} in this picture there would be nothing
            but a blur.
            {tooLarge.others && ' The other holes can be restored.'}
          </p>
        </div>
      )}
      <div class="buttons">
        {status === 'running' ? (
          <button type="button" class="button primary" onClick={restoration.pause}>
            Pause
          </button>
        ) : status === 'paused' ? (
          <button type="button" class="button primary" onClick={() => restoration.goOn(bench.runSettings())}>
            Continue
          </button>
        ) : bench.isRestored ? (
          <button type="button" class="button primary" onClick={() => bench.start()}>
            Restore again
          </button>
        ) : (
          <button type="button" class="button primary" disabled={!canStart} onClick={() => bench.start()}>
            {tooLarge?.others ? 'Restore the other holes' : 'Restore'}
          </button>
        )}
        {status !== 'idle' && (
          <button type="button" class="button quiet" onClick={bench.drop}>
            {isActive ? 'Stop' : 'Discard'}
          </button>
        )}
      </div>
      {isActive && (
        <p class="soft small">
          {!progress
            ? 'Looking at the picture …'
            : progress.regions === 1
              ? 'The picture shown is the best so far.'
              : `Region ${progress.region} of ${progress.regions}. The picture shown is the best so far.`}
        </p>
      )}
    </div>
  )
}
