/** Draws the mask of a picture's damage. */

import { addMask, drawScratches, hidePixels, type Mask, paint, type Size, writeText } from '../damage.ts'
import type { Damage, Edit } from './edits.ts'

/** The seed of pixels hidden at random. */
const SEED = 1

/**
 * Returns a function that draws masks of one picture. It remembers the last edits with their mask: if another one
 * was added, only that is drawn.
 */
export function damageDrawer(size: Size): (damage: Damage) => Mask {
  let last: { edits: readonly Edit[]; mask: Mask } = { edits: [], mask: new Uint8Array(size[0] * size[1]) }
  return ({ kind, hidden, edits }) => {
    if (kind === 'pixels') return hidePixels(size, hidden / 100, SEED)
    const isLonger = last.edits.every((edit, n) => isSame(edit, edits[n]))
    const mask = isLonger ? last.mask.slice() : new Uint8Array(size[0] * size[1])
    for (const edit of edits.slice(isLonger ? last.edits.length : 0)) drawEdit(mask, size, edit)
    last = { edits, mask }
    return mask.slice()
  }
}

/** Whether two edits are equal; copies of one edit are, since it travels between page and worker. */
function isSame(one: Edit, other: Edit | undefined): boolean {
  if (one.type === 'mask') return other?.type === 'mask' && one.name === other.name
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Draws an edit into a mask, in place. */
function drawEdit(mask: Mask, size: Size, edit: Edit): void {
  if (edit.type === 'text') addMask(mask, writeText(size, edit.text))
  else if (edit.type === 'scratches') addMask(mask, drawScratches(size, edit.seed))
  else if (edit.type === 'mask') addMask(mask, edit.mask)
  else {
    const { points, diameter, erase } = edit
    for (const [n, to] of points.entries())
      paint(mask, size, points[Math.max(0, n - 1)], to, diameter, erase ? 0 : 1)
  }
}
