import { useEffect, useRef, useState } from 'preact/hooks'
import { type Connection, connect } from '../solving/remote.ts'
import type { Progress, RunSettings } from '../solving/solving.ts'
import type { Mask } from './damage.ts'
import type { Frame, Outcome, RestoreFunctions } from './worker.ts'

export type Status = 'idle' | 'running' | 'paused' | 'done'

export interface Restoring {
  status: Status
  history: readonly Progress[]
  frame: Frame | undefined
  start(picture: ImageData, mask: Mask, settings: RunSettings): void
  pause(): void
  /** Goes on from where it is, with these settings. */
  goOn(settings: RunSettings): void
  /** New settings take effect at once while it runs, else with the next run. */
  change(settings: RunSettings): void
  reset(): void
  /** As it was before a reload. */
  recall(picture: ImageData, mask: Mask, kept: Kept): void
}

/** What is worth keeping of a restored picture. */
export interface Kept {
  frame: Frame
  history: Progress[]
  factors: Float32Array[]
  rank: number
}

/** Charts are drawn anew at most this often. */
const CHART_INTERVAL_MS = 300

export function useRestoring(complain: (error: unknown) => void, onOutcome: (kept: Kept) => void): Restoring {
  const worker = useRef<Connection<RestoreFunctions> | null>(null)
  const [status, setStatus] = useState<Status>('idle')
  const [history, setHistory] = useState<readonly Progress[]>([])
  const [frame, setFrame] = useState<Frame>()
  const live = useRef({ history: [] as Progress[], shownAt: 0, changed: false, round: 0 })

  useEffect(() => {
    const connection = connect<RestoreFunctions>(
      new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'restore' }),
    )
    connection.onNews<Progress>('epoch', (progress) => {
      const now = live.current
      now.history.push(progress)
      if (performance.now() - now.shownAt < CHART_INTERVAL_MS) return
      now.shownAt = performance.now()
      setHistory([...now.history])
    })
    connection.onNews<Frame>('frame', setFrame)
    worker.current = connection
  }, [])

  const run = (settings: RunSettings): void => {
    const round = ++live.current.round
    live.current.changed = false
    setStatus('running')
    worker
      .current!.call.run(settings)
      .then(({ frame, factors, rank }: Outcome) => {
        if (round !== live.current.round) return
        setFrame(frame)
        setHistory([...live.current.history])
        setStatus('done')
        onOutcome({ frame, history: live.current.history, factors: [...factors], rank })
      })
      .catch((error) => {
        if (round !== live.current.round) return
        setStatus('idle')
        complain(error)
      })
  }

  const load = (picture: ImageData, mask: Mask, kept?: Kept): void => {
    live.current.round++
    live.current.history = kept?.history ?? []
    setHistory(live.current.history)
    setFrame(kept?.frame)
    worker
      .current!.call.load(picture, mask, kept && { factors: kept.factors, rank: kept.rank })
      .catch(complain)
  }

  return {
    status,
    history,
    frame,
    start(picture, mask, settings) {
      load(picture, mask)
      run(settings)
    },
    pause() {
      void worker.current!.call.pause()
      setStatus('paused')
      setHistory([...live.current.history])
    },
    goOn(settings) {
      if (status === 'done') return run(settings)
      if (live.current.changed) void worker.current!.call.change(settings)
      else void worker.current!.call.resume()
      live.current.changed = false
      setStatus('running')
    },
    change(settings) {
      if (status === 'running') void worker.current!.call.change(settings)
      else live.current.changed = true
    },
    reset() {
      live.current.round++
      void worker.current!.call.drop()
      live.current.history = []
      setHistory([])
      setFrame(undefined)
      setStatus('idle')
    },
    recall(picture, mask, kept) {
      load(picture, mask, kept)
      setStatus('done')
    },
  }
}
