/** Hook: the run that restores a picture, in a worker, and its restored pixels on a canvas. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { chosenEngine } from '../engineChoice.ts'
import type { Progress, RunSettings } from '../run/interactiveRun.ts'
import { type Connection, connect } from '../run/remote.ts'
import { type RunControls, useRun } from '../run/useRun.ts'
import type { Mask } from './damage.ts'
import type { Canvases } from './stage/index.ts'
import { lazyConnection } from './worker/lazyConnection.ts'
import type { Frame, Method, Outcome, RestoreFunctions, StoredRegion } from './worker/restoreWorker.ts'

/** A restored picture with its history, and the name of what it was made of. */
export interface Result extends Outcome {
  name: string
  history: Progress[]
}

/** How far a run has come. */
export type RunProgress = Pick<Frame, 'psnr' | 'region' | 'regions'>

/** The restoration of a picture, and its controls. */
export interface Restoration extends Omit<RunControls, 'start' | 'reset' | 'goOn'> {
  /** The canvases of the damaged and the restored picture. */
  canvases: Canvases
  /** The last frame of the run. */
  progress: RunProgress | undefined
  /** The result of the run that has finished. */
  result: Result | undefined
  open(file: Blob, name: string, regions?: readonly StoredRegion[]): void
  start(mask: Mask, method: Method, finest: boolean, settings: RunSettings, name: string): void
  goOn(settings: RunSettings): void
  /** Stops the run and discards its result. */
  reset(): void
  /** Shows a result of before. */
  show(result: Result): Promise<void>
  /** The result of this name, if there was one. */
  resultOf(name: string): Result | undefined
}

/** The most results that are remembered, for undo and redo. */
const MOST_RESULTS = 6

/**
 * Restores a picture in a worker that is started at the first run.
 * @param onResult called with the result when a run has finished
 * @param onRegion called with a region that is restored
 */
export function useRestoration(
  showError: (error: unknown) => void,
  onResult: (result: Result) => void,
  onRegion: (region: StoredRegion) => void,
): Restoration {
  const [progress, setProgress] = useState<RunProgress>()
  const [result, setResult] = useState<Result>()
  const canvases: Canvases = { damaged: useRef(null), restored: useRef(null) }
  /** The picture that the worker opens before its first run. */
  const picture = useRef<[Blob, string, readonly StoredRegion[]]>(undefined)
  const results = useRef(new Map<string, Result>())
  /** The name of the current run, which its result gets. */
  const name = useRef('')
  const region = useRef(onRegion)
  region.current = onRegion
  const connection: Connection<RestoreFunctions> = useMemo(
    () =>
      lazyConnection(() =>
        connect(
          new Worker(new URL('./worker/restoreWorker.ts', import.meta.url), {
            type: 'module',
            name: 'restore',
          }),
          chosenEngine(),
        ),
      ),
    [],
  )
  const { call, onEvent } = connection
  const run = useRun<Outcome>(
    connection,
    (outcome, history) => {
      const next = { ...outcome, history, name: name.current }
      results.current.delete(next.name)
      results.current.set(next.name, next)
      for (const oldest of results.current.keys()) {
        if (results.current.size <= MOST_RESULTS) break
        results.current.delete(oldest)
      }
      void draw(next.filled)
      setResult(next)
      onResult(next)
    },
    showError,
  )
  useEffect(
    () =>
      onEvent<Frame>('frame', ({ bitmap, left, top, ...rest }) => {
        canvases.restored.current?.getContext('2d')?.drawImage(bitmap, left, top)
        bitmap.close()
        setProgress(rest)
      }),
    [],
  )
  useEffect(() => onEvent<StoredRegion>('region', (stored) => region.current(stored)), [])

  /** Shows the restored pixels of a file over the damaged picture. */
  async function draw(file: Blob): Promise<void> {
    const bitmap = await createImageBitmap(file)
    drawDamaged()
    canvases.restored.current?.getContext('2d')?.drawImage(bitmap, 0, 0)
    bitmap.close()
  }
  /** Shows the damaged picture in place of a restored one. */
  function drawDamaged(): void {
    const { damaged, restored } = canvases
    if (damaged.current) restored.current?.getContext('2d')?.drawImage(damaged.current, 0, 0)
  }

  return {
    ...run,
    ...{ canvases, progress, result },
    open(file, fileName, regions = []) {
      picture.current = [file, fileName, regions]
      results.current.clear()
    },
    start(mask, method, finest, settings, runName) {
      // A run after edits shows what was restored before them.
      if (!result) drawDamaged()
      setProgress(undefined)
      setResult(undefined)
      name.current = runName
      if (picture.current) void call.open(...picture.current)
      picture.current = undefined
      void call.load(mask, method, finest)
      run.start(settings)
    },
    reset() {
      if (run.status !== 'idle') void call.drop()
      setProgress(undefined)
      setResult(undefined)
      run.reset()
    },
    async show(before) {
      results.current.set(before.name, before)
      await draw(before.filled)
      setProgress(undefined)
      setResult(before)
      run.reset(before.history)
    },
    resultOf: (wanted) => results.current.get(wanted),
  }
}
