/**
 * The damage of a picture as data: a kind with its settings, and a list of edits. A mask is drawn from it
 * (drawDamage.ts), so that undo is a step back in a list, and a stroke takes a few numbers of storage.
 */
import type { Mask, Point } from '../damage.ts'

/** The kinds of damage: random pixels, or edits, which the other kinds add to. */
export type DamageKind = 'pixels' | 'brush' | 'text' | 'scratches' | 'mask'

/** A change of the mask, in pixels of the picture. */
export type Edit =
  | { type: 'stroke'; points: readonly Point[]; diameter: number; erase: boolean }
  | { type: 'scratches'; seed: number }
  | { type: 'text'; text: string }
  | { type: 'mask'; name: string; mask: Mask }

/** The damage of a picture. */
export interface Damage {
  kind: DamageKind
  /** The percentage of pixels hidden at random; counts if the kind is 'pixels'. */
  hidden: number
  /** The edits, in their order; they count if the kind is another one. */
  edits: readonly Edit[]
}

/** Adds an edit; the text is replaced, since there is one. */
export function addEdit(edits: readonly Edit[], edit: Edit): readonly Edit[] {
  const at = edit.type === 'text' ? edits.findIndex(({ type }) => type === 'text') : -1
  return at < 0 ? [...edits, edit] : edits.map((each, n) => (n === at ? edit : each))
}

/** Returns the seed of the next scratches: other ones than before. */
export const nextSeed = (edits: readonly Edit[]): number =>
  edits.reduce((last, edit) => (edit.type === 'scratches' ? Math.max(last, edit.seed) : last), 0) + 1

/** The text that is first written over a picture. */
export const FIRST_TEXT = 'What is missing can be found'

/** Adds an example of text or scratches, if they are chosen and there are none. */
export function addFirstEdit(kind: DamageKind, edits: readonly Edit[]): readonly Edit[] {
  if (edits.some(({ type }) => type === kind)) return edits
  if (kind === 'text') return addEdit(edits, { type: 'text', text: FIRST_TEXT })
  if (kind === 'scratches') return addEdit(edits, { type: 'scratches', seed: nextSeed(edits) })
  return edits
}

/** Identifies what is lost of a picture: equal damage has an equal name. */
export function damageName({ kind, hidden, edits }: Damage): string {
  if (kind === 'pixels') return `pixels ${hidden}`
  return JSON.stringify(
    edits.map((edit) => (edit.type === 'mask' ? { ...edit, mask: hash(edit.mask) } : edit)),
  )
}

/** Returns a hash of 32 bits (FNV-1a). */
function hash(bytes: Uint8Array): number {
  let state = 0x811c9dc5
  for (const byte of bytes) state = Math.imul(state ^ byte, 0x01000193)
  return state >>> 0
}
