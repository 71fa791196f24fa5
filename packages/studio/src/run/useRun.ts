/** Hook: a worker's run, with its status and history, as a view controls it. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Progress, RunSettings } from './interactiveRun.ts'
import type { Connection } from './remote.ts'

/** The status of a run. */
export type Status = 'idle' | 'running' | 'paused' | 'done'

/** The functions that a worker must offer for `useRun`. */
export type RunFunctions<Outcome> = {
  /** Runs until it converges or is dropped; called again, it continues from the current factors. */
  run(settings: RunSettings): Promise<Outcome>
  pause(): void
  resume(): void
  change(settings: RunSettings): void
  drop(): void
}

/** A run as a view sees and controls it. */
export interface RunControls {
  status: Status
  /** Progress after each round; updated at most every 300 ms. */
  history: readonly Progress[]
  start(settings: RunSettings): void
  pause(): void
  /** Continues a paused or finished run with these settings. */
  goOn(settings: RunSettings): void
  /** Changes the settings: of a running run at once, else when it continues. */
  change(settings: RunSettings): void
  /** Discards the run. With a history, the status becomes that of a finished run. */
  reset(history?: Progress[]): void
}

/** The shortest time between two updates of the history, in milliseconds. */
const CHART_INTERVAL_MS = 300
/**
 * The delay, in milliseconds, after which changed settings are sent to the worker, so that a moving slider
 * sends few messages.
 */
const SETTLE_MS = 250

/**
 * Controls the run of a worker: its status and history, and functions that start, pause and change it.
 * @param onOutcome called with the result when a run has finished
 * @param showError called when a run has failed
 */
export function useRun<Outcome>(
  { call, onEvent }: Connection<RunFunctions<Outcome>>,
  onOutcome: (outcome: Outcome, history: Progress[]) => void,
  showError: (error: unknown) => void,
): RunControls {
  const [status, setStatus] = useState<Status>('idle')
  const [history, setHistory] = useState<readonly Progress[]>([])
  /**
   * State that does not render: the whole history, and the number of the current run, by which outcomes of
   * discarded runs are recognized.
   */
  const live = useRef({ history: [] as Progress[], shownAt: 0, changed: false, round: 0, timer: 0 })

  useEffect(
    () =>
      onEvent<Progress>('epoch', (progress) => {
        const now = live.current
        now.history.push(progress)
        if (performance.now() - now.shownAt < CHART_INTERVAL_MS) return
        now.shownAt = performance.now()
        setHistory([...now.history])
      }),
    [],
  )

  /** Starts the worker's run or continues it, and waits for its outcome. */
  const run = (settings: RunSettings): void => {
    const round = ++live.current.round
    live.current.changed = false
    setStatus('running')
    call
      .run(settings)
      .then((outcome) => {
        if (round !== live.current.round) return
        setHistory([...live.current.history])
        setStatus('done')
        onOutcome(outcome as Outcome, live.current.history)
      })
      .catch((error) => {
        if (round !== live.current.round) return
        setStatus('idle')
        showError(error)
      })
  }

  /** Forgets the current run, whose outcome is then ignored. @param past the history that is shown instead */
  const discard = (past: Progress[] = []): void => {
    live.current.round++
    live.current.history = past
    live.current.changed = false
    clearTimeout(live.current.timer)
    setHistory(past)
  }

  return {
    status,
    history,
    start(settings) {
      discard()
      run(settings)
    },
    pause() {
      void call.pause()
      setStatus('paused')
      setHistory([...live.current.history])
    },
    goOn(settings) {
      if (status === 'done') return run(settings)
      void (live.current.changed ? call.change(settings) : call.resume())
      live.current.changed = false
      setStatus('running')
    },
    change(settings) {
      clearTimeout(live.current.timer)
      if (status === 'running')
        live.current.timer = window.setTimeout(() => void call.change(settings), SETTLE_MS)
      else live.current.changed = true
    },
    reset(past) {
      discard(past)
      setStatus(past ? 'done' : 'idle')
    },
  }
}
