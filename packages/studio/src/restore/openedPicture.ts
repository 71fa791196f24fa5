/** The picture that the Restore view works on, and what the browser stored of an earlier visit. */
import type { Mask } from './damage.ts'
import type { StoredResult } from './useRestoration.ts'

/** An opened picture. */
export interface OpenedPicture {
  image: ImageData
  /** The name of its file. */
  name: string
  /** A note about a change made while opening it, such as a reduction of its size. */
  remark?: string
}

/** The state of the view before a reload. */
export interface StoredState {
  /** The pixels that were painted over, scratched or masked. */
  drawn?: Mask
  /** The restored picture, with the name of the damage that it belongs to. */
  result?: StoredResult & { damage: string }
}
