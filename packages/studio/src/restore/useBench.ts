/** Hook: the work on an opened picture: its drawn damage, its run and result, and what is stored of them. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { RunSettings } from '../run/interactiveRun.ts'
import type { Connection } from '../run/remote.ts'
import { damageName } from './edits/index.ts'
import type { OpenedPicture, StoredRun } from './openedPicture.ts'
import { MOST_REGIONS, removeHere, storeHere } from './tabStorage.ts'
import { type Drawn, useDrawnDamage } from './useDrawnDamage.ts'
import { type Restoration, useRestoration } from './useRestoration.ts'
import type { Settings, SettingsControls } from './useSettings.ts'
import type { LargeHoles, PictureFunctions } from './worker/pictureWorker.ts'

/** The seed of the runs. */
const SEED = 1

interface Options {
  connection: Connection<PictureFunctions>
  opened: OpenedPicture
  controls: SettingsControls
  showError(error: unknown): void
  clearError(): void
}

/** The work on a picture. */
export interface Bench {
  connection: Connection<PictureFunctions>
  drawn: Drawn | undefined
  restoration: Restoration
  /** The fraction of the picture that is lost. */
  lost: number
  /** Whether lost pixels wait for a run, and whether all are restored; neither until the damage is drawn. */
  canStart: boolean
  isRestored: boolean
  tooLarge: LargeHoles | undefined
  /** A run that a reload has stopped, until it is continued or given up. */
  stopped: StoredRun | undefined
  leaveStopped(): void
  /** Restores all lost pixels. @param finest whether at full resolution, however long it takes */
  start(finest?: boolean): void
  /** Stops the run and discards the result. */
  drop(): void
  /** The settings of a run, with changes. */
  runSettings(changes?: Partial<RunSettings>): RunSettings
}

/** Identifies what a run restores, and how. */
const resultName = ({ damage, method }: Pick<Settings, 'damage' | 'method'>): string =>
  `${method} ${damageName(damage)}`

/** The work on an opened picture. */
export function useBench({ connection, opened, controls, showError, clearError }: Options): Bench {
  const { settings } = controls
  const { call } = connection
  const [stopped, setStopped] = useState<StoredRun>()
  /** The current run, as it is stored. */
  const run = useRef<StoredRun>(undefined)
  const restoration = useRestoration(
    (error) => {
      endRun()
      showError(error)
    },
    (result) => {
      endRun()
      void storeHere('result', result)
      void call.setRestored().then(redraw)
    },
    (region) => {
      if (!run.current || run.current.regions >= MOST_REGIONS) return
      const { regions } = run.current
      run.current = { ...run.current, regions: regions + 1 }
      void storeHere(`region${regions}`, region)
      void storeHere('run', run.current)
    },
  )
  const isActive = restoration.status === 'running' || restoration.status === 'paused'
  const { drawn, redraw } = useDrawnDamage(
    connection,
    opened,
    settings.damage,
    () => restoration.status === 'done',
    ({ overlay }, keepRestored) => {
      if (!keepRestored) drop()
      // New holes, and pixels that are no longer lost.
      else if (overlay && !isActive)
        restoration.canvases.restored.current?.getContext('2d')?.drawImage(overlay, 0, 0)
    },
    showError,
  )
  /** The damage is drawn, of this picture and as it is chosen. */
  const isDrawn = drawn !== undefined && damageName(drawn.damage) === damageName(settings.damage)
  const name = resultName(settings)

  // A picture opens with its stored edits, and without a result.
  useEffect(() => {
    restoration.reset()
    restoration.open(opened.file, opened.name, opened.stored.regions)
    controls.restart(opened.stored.edits, opened.settings)
    setStopped(undefined)
  }, [opened])
  useEffect(() => {
    void storeHere('edits', settings.damage.edits)
  }, [settings.damage.edits])

  // Damage that was restored before is shown restored; a stopped run is offered, and an example is restored at once.
  const begun = useRef<OpenedPicture>(undefined)
  useEffect(() => {
    if (!isDrawn || isActive) return
    const isFirst = begun.current !== opened
    begun.current = opened
    const { stored } = opened
    const before =
      restoration.resultOf(name) ?? (isFirst && stored.result?.name === name ? stored.result : undefined)
    if (before && drawn.toRestore > 0)
      void restoration
        .show(before)
        .then(() => call.setRestored())
        .then(redraw)
    else if (isFirst && stored.run?.name === name) setStopped(stored.run)
    else if (isFirst && opened.settings && drawn.toRestore > 0) start()
  }, [drawn, name])

  /** Removes the stored run after its end. */
  function endRun(): void {
    run.current = undefined
    void removeHere('run')
  }
  function drop(): void {
    if (restoration.status === 'idle') return
    restoration.reset()
    endRun()
    void removeHere('result')
  }
  function runSettings(changes: Partial<RunSettings> = {}): RunSettings {
    return { rank: settings.rank, lambda: settings.lambda, seed: SEED, ...changes }
  }
  function start(finest = false): void {
    clearError()
    setStopped(undefined)
    run.current = { name, finest, regions: stopped?.regions ?? 0 }
    void storeHere('run', run.current)
    call
      .maskToRestore()
      .then((mask) => restoration.start(mask, settings.method, finest, runSettings(), name), showError)
  }

  return {
    ...{ connection, drawn, restoration, stopped, start, drop, runSettings },
    lost: drawn?.lost ?? 0,
    canStart: isDrawn && drawn.toRestore > 0,
    isRestored: isDrawn && drawn.toRestore === 0 && restoration.status === 'done',
    tooLarge: isDrawn ? drawn.tooLarge : undefined,
    leaveStopped() {
      setStopped(undefined)
      endRun()
    },
  }
}
