/** Panel that sets how a model is learned, and starts, pauses and stops runs. */
import { useId } from 'preact/hooks'
import { LambdaField, Slider } from '../../widgets/index.ts'
import {
  activeRun,
  type CompleteController,
  type CompleteState,
  canStart,
  questionsOf,
  type RunRecord,
} from '../state/index.ts'
import { openQuestions } from '../understanding/index.ts'
import { MoreSettings } from './MoreSettings.tsx'
import { type LearnChoices, MOST_RANK } from './useLearnSettings.ts'

interface Props {
  state: CompleteState
  controller: CompleteController
  choices: LearnChoices
}

/** The settings of the next run, and the buttons of the current one. */
export function RunPanel({ state, controller, choices }: Props) {
  const active = activeRun(state)
  const { settings, change } = choices
  const { rank } = settings
  const reason = whyNotStart(state)
  const hintId = useId()
  return (
    <>
      <div class="group">
        {active ? (
          <ActiveButtons run={active} controller={controller} />
        ) : (
          <>
            <div class="buttons two">
              <button
                type="button"
                class="button primary"
                disabled={!canStart(state)}
                aria-describedby={hintId}
                title={reason}
                onClick={() => void controller.start('quick', settings)}
              >
                Quick
              </button>
              <button
                type="button"
                class="button primary"
                disabled={!canStart(state)}
                aria-describedby={hintId}
                title={reason}
                onClick={() => void controller.start('best', settings)}
              >
                Best
              </button>
            </div>
            <small id={hintId} class={reason ? undefined : 'soft'} data-testid="start-hint">
              {reason === undefined
                ? `Quick learns one model in seconds. Best searches ${settings.missing === 'zero' ? 'rank, λ and merged modes' : 'rank, noise, time and reshapings'}, and combines several models.`
                : reason}
            </small>
          </>
        )}
      </div>
      <div class="group">
        <h2>Quick</h2>
        {rank !== 'auto' && (
          <Slider
            label="Rank, how many components"
            min={1}
            max={MOST_RANK}
            value={rank}
            onInput={(value) => change({ rank: value })}
          />
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={rank === 'auto'}
            onChange={({ currentTarget }) => change({ rank: currentTarget.checked ? 'auto' : 6 })}
          />
          Find the rank by cross-validation
        </label>
        <LambdaField
          lambda={settings.lambda}
          found={active?.history.at(-1)?.lambda}
          onChange={(lambda) => change({ lambda })}
        />
      </div>
      <div class="group">
        <h2>{rank === 'auto' ? 'Searches' : 'Best'}</h2>
        <label class="field">
          <span class="field-head">Time limit</span>
          <select
            value={settings.seconds}
            onChange={({ currentTarget }) => change({ seconds: Number(currentTarget.value) })}
          >
            {[...new Set([...SECONDS, settings.seconds])]
              .sort((a, b) => a - b)
              .map((seconds) => (
                <option key={seconds} value={seconds}>
                  {seconds < 60
                    ? `${seconds} seconds`
                    : seconds === 60
                      ? '1 minute'
                      : `${seconds / 60} minutes`}
                </option>
              ))}
          </select>
        </label>
      </div>
      <MoreSettings {...choices} />
    </>
  )
}

/** Why no run can be started, as a sentence; undefined if one can, or one is active. */
function whyNotStart(state: CompleteState): string | undefined {
  if (canStart(state) || activeRun(state)) return undefined
  const { tablesPending, pending, source, reading } = state
  if (tablesPending.length > 0) return `${tablesPending[0]} is being read; a run can begin when it is there.`
  if (pending) return `${pending.file.name} is being read; a run can begin when it is there.`
  const open = openQuestions(questionsOf(state), reading).length
  if (open > 0)
    return `Answer the ${open === 1 ? 'question' : `${open} questions`} about ${source?.file.name} first.`
  return `There is no data yet: choose how ${source?.file.name} is read.`
}

/** The time limits that are offered, in seconds. */
const SECONDS: readonly number[] = [15, 30, 60, 180, 600, 1800]

/** Buttons that pause, finish or discard the active run. */
function ActiveButtons({ run, controller }: { run: RunRecord; controller: CompleteController }) {
  // A search cannot be paused; the model that follows it can.
  const isSearching = run.settings?.rank === 'auto' && run.history.length === 0
  const canPause = run.kind === 'quick' && !run.settings?.folds && !isSearching
  return (
    <div class="buttons">
      {canPause && (
        <button
          type="button"
          class="button primary"
          onClick={() => (run.status === 'paused' ? controller.resume() : controller.pause())}
        >
          {run.status === 'paused' ? 'Continue' : 'Pause'}
        </button>
      )}
      <button type="button" class={canPause ? 'button' : 'button primary'} onClick={() => controller.stop()}>
        Finish now
      </button>
      <button type="button" class="button quiet" onClick={() => controller.cancel()}>
        Cancel
      </button>
    </div>
  )
}
