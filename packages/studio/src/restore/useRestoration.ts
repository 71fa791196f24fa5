/** Hook: the run that restores a picture, in a worker. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import { chosenEngine } from '../engineChoice.ts'
import type { Progress, RunSettings } from '../run/interactiveRun.ts'
import { type Connection, connect } from '../run/remote.ts'
import { type RunControls, useRun } from '../run/useRun.ts'
import type { Mask } from './damage.ts'
import type { Frame, Method, Outcome, RestoreFunctions } from './worker.ts'

/** A restored picture with its history, as the browser stores it. */
export interface StoredResult extends Outcome {
  history: Progress[]
}

/** The restoration of a picture, and its controls. */
export interface Restoration extends Omit<RunControls, 'start' | 'reset'> {
  /** The current picture. */
  frame: Frame | undefined
  start(picture: ImageData, mask: Mask, method: Method, settings: RunSettings): void
  reset(): void
  /** Shows the result from before a reload. Its model is lost: the run cannot continue, only start again. */
  showStored(result: StoredResult): void
  /** Whether the picture is that of a stored result. */
  isStored: boolean
}

/**
 * Restores a picture in the worker of the view.
 * @param onOutcome called with the result when a run has finished
 */
export function useRestoration(
  showError: (error: unknown) => void,
  onOutcome: (result: StoredResult) => void,
): Restoration {
  const [frame, setFrame] = useState<Frame>()
  const [isStored, setStored] = useState(false)
  const connection: Connection<RestoreFunctions> = useMemo(
    () =>
      connect(
        new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'restore' }),
        chosenEngine(),
      ),
    [],
  )
  const { call, onEvent } = connection
  const run = useRun<Outcome>(
    connection,
    (outcome, history) => {
      setFrame(outcome.frame)
      onOutcome({ ...outcome, history })
    },
    showError,
  )
  useEffect(() => onEvent<Frame>('frame', setFrame), [])
  return {
    ...run,
    frame,
    isStored,
    start(picture, mask, method, settings) {
      setFrame(undefined)
      setStored(false)
      void call.load(picture, mask, method)
      run.start(settings)
    },
    reset() {
      void call.drop()
      setFrame(undefined)
      setStored(false)
      run.reset()
    },
    showStored(result) {
      setFrame(result.frame)
      setStored(true)
      run.reset(result.history)
    },
  }
}
