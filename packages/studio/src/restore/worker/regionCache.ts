/** Restored regions by their content, so that a region is not computed again after undo, redo or a reload. */
import type { Picture } from 'lacuna/image'

/** Most bytes of the regions that are remembered. */
const MOST_BYTES = 150e6

/** A map that drops its oldest regions, and reports new ones. */
export class RegionCache extends Map<string, Picture> {
  #bytes = 0
  /** Called with a region that was computed. */
  onAdd?: (key: string, picture: Picture) => void

  override set(key: string, picture: Picture): this {
    if (this.has(key)) return this
    super.set(key, picture)
    this.#bytes += picture.data.byteLength
    for (const [oldest, { data }] of this) {
      if (this.#bytes <= MOST_BYTES || oldest === key) break
      this.delete(oldest)
      this.#bytes -= data.byteLength
    }
    this.onAdd?.(key, picture)
    return this
  }
}
