import { useEffect, useMemo, useState } from 'preact/hooks'
import { chosenEngine } from '../engineChoice.ts'
import { type Connection, connect } from '../solving/remote.ts'
import type { Progress, RunSettings } from '../solving/solving.ts'
import { type Run, useRun } from '../solving/useRun.ts'
import type { Mask } from './damage.ts'
import type { Frame, Method, Outcome, RestoreFunctions } from './worker.ts'

/** What is worth keeping of a restored picture. */
export interface Kept extends Outcome {
  history: Progress[]
}

export interface Restoring extends Omit<Run, 'start' | 'reset'> {
  /** The picture as it is now. */
  frame: Frame | undefined
  start(picture: ImageData, mask: Mask, method: Method, settings: RunSettings): void
  reset(): void
  /** As it was before a reload. What was learned is not there any more, only its picture. */
  recall(kept: Kept): void
  recalled: boolean
}

export function useRestoring(complain: (error: unknown) => void, onOutcome: (kept: Kept) => void): Restoring {
  const [frame, setFrame] = useState<Frame>()
  const [recalled, setRecalled] = useState(false)
  const connection: Connection<RestoreFunctions> = useMemo(
    () =>
      connect(
        new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'restore' }),
        chosenEngine(),
      ),
    [],
  )
  const { call, onNews } = connection
  const run = useRun<Outcome>(
    connection,
    (outcome, history) => {
      setFrame(outcome.frame)
      onOutcome({ ...outcome, history })
    },
    complain,
  )
  useEffect(() => onNews<Frame>('frame', setFrame), [])
  return {
    ...run,
    frame,
    recalled,
    start(picture, mask, method, settings) {
      setFrame(undefined)
      setRecalled(false)
      void call.load(picture, mask, method)
      run.start(settings)
    },
    reset() {
      void call.drop()
      setFrame(undefined)
      setRecalled(false)
      run.reset()
    },
    recall(kept) {
      setFrame(kept.frame)
      setRecalled(true)
      run.reset(kept.history)
    },
  }
}
