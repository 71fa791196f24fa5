/** The picture that the Restore view works on, and what the browser stored of an earlier visit. */
import type { Edit } from './edits/index.ts'
import type { Result } from './useRestoration.ts'
import type { OpenedBitmap } from './worker/pictureWorker.ts'
import type { StoredRegion } from './worker/restoreWorker.ts'

/** An opened picture. */
export interface OpenedPicture extends OpenedBitmap {
  file: Blob
  /** The name of its file. */
  name: string
  /** The state that the browser stored of the picture before a reload. */
  stored: StoredState
  /** A sentence about it, if it is an example; and its settings, by which it is restored at once. */
  note?: string
  settings?: Readonly<Record<string, string | number>>
}

/** The state of the view before a reload. */
export interface StoredState {
  edits?: readonly Edit[]
  result?: Result
  /** Set if a run was going on. */
  run?: StoredRun
  /** Regions that were restored by that run. */
  regions?: StoredRegion[]
}

/** A run that may be stopped by a reload. */
export interface StoredRun {
  /** The name of the restored picture. */
  name: string
  finest: boolean
  /** The number of regions that are stored. */
  regions: number
}
