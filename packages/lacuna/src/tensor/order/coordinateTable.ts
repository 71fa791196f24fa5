/** A hash table of entries by their coordinates. */
import { mix } from '../../base/random.ts'

/**
 * Finds entries by their coordinates, for entries that are added one by one; for all entries of a tensor
 * `findDuplicates` is several times faster. Open addressing over entry numbers: the table takes 4 bytes a
 * slot, and coordinates are not copied.
 */
export interface CoordinateTable {
  /**
   * Adds an entry unless one with the same coordinates is in the table.
   * @returns the number of the entry that is in the table: `entry`, or that of the earlier one
   */
  add(entry: number): number
}

/**
 * Makes an empty table.
 * @param indices index columns of the entries, read when an entry is added
 * @param capacity the most entries
 */
export function coordinateTable(indices: readonly Uint32Array[], capacity: number): CoordinateTable {
  const order = indices.length
  // 2³² slots hold the most entries a tensor may have, and are the most an array may have.
  const slots = new Uint32Array(2 ** Math.min(32, Math.ceil(Math.log2(Math.max(16, capacity * 1.5)))))
  const mask = slots.length - 1

  function hash(entry: number): number {
    let h = 0
    for (let i = 0; i < order; i++) h = mix(h ^ indices[i][entry]) + 0x9e3779b9
    return mix(h)
  }

  function equal(a: number, b: number): boolean {
    for (let i = 0; i < order; i++) if (indices[i][a] !== indices[i][b]) return false
    return true
  }

  return {
    add(entry) {
      for (let slot = (hash(entry) & mask) >>> 0; ; slot = ((slot + 1) & mask) >>> 0) {
        const found = slots[slot] // entry number + 1; 0 is an empty slot
        if (found === 0) {
          slots[slot] = entry + 1
          return entry
        }
        if (equal(found - 1, entry)) return found - 1
      }
    },
  }
}
