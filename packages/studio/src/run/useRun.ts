import { useEffect, useRef, useState } from 'preact/hooks'
import type { Connection } from './remote.ts'
import type { Progress, RunSettings } from './solving.ts'

export type Status = 'idle' | 'running' | 'paused' | 'done'

/** What a worker that solves can be told. */
export type RunFunctions<Outcome> = {
  /** Learns until it settles or is dropped; goes on from what has been learned before. */
  run(settings: RunSettings): Promise<Outcome>
  pause(): void
  resume(): void
  change(settings: RunSettings): void
  drop(): void
}

export interface Run {
  status: Status
  history: readonly Progress[]
  start(settings: RunSettings): void
  pause(): void
  /** Goes on from where it is, with these settings. */
  goOn(settings: RunSettings): void
  /** New settings take effect at once while it runs, else when it goes on. */
  change(settings: RunSettings): void
  /** Forgets the run; with a history, takes it for one that has ended. */
  reset(history?: Progress[]): void
}

/** Charts are drawn anew at most this often. */
const CHART_INTERVAL_MS = 300
/** A slider in motion settles for this long before the solver is told. */
const SETTLE_MS = 250

/** A worker's run as the page sees it. */
export function useRun<Outcome>(
  { call, onNews }: Connection<RunFunctions<Outcome>>,
  onOutcome: (outcome: Outcome, history: Progress[]) => void,
  complain: (error: unknown) => void,
): Run {
  const [status, setStatus] = useState<Status>('idle')
  const [history, setHistory] = useState<readonly Progress[]>([])
  const live = useRef({ history: [] as Progress[], shownAt: 0, changed: false, round: 0, timer: 0 })

  useEffect(
    () =>
      onNews<Progress>('epoch', (progress) => {
        const now = live.current
        now.history.push(progress)
        if (performance.now() - now.shownAt < CHART_INTERVAL_MS) return
        now.shownAt = performance.now()
        setHistory([...now.history])
      }),
    [],
  )

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
        complain(error)
      })
  }

  const forget = (past: Progress[] = []): void => {
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
      forget()
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
      forget(past)
      setStatus(past ? 'done' : 'idle')
    },
  }
}
