/** The timing of the healing picture. */

/** How long the damaged and the restored picture are shown, and each fade between two frames, in milliseconds. */
const DAMAGED_MS = 1400
const FADE_MS = 700
const RESTORED_MS = 3600

/** A moment of the loop: a frame, and how far it has faded into the next one, 0 to 1 in steps of a twentieth. */
export interface Moment {
  frame: number
  fade: number
}

/** The moment after some milliseconds. @param frames how many there are, the damaged one included */
export function momentAt(elapsedMs: number, frames: number): Moment {
  const fading = (frames - 1) * FADE_MS
  const time = elapsedMs % (DAMAGED_MS + fading + RESTORED_MS)
  if (time < DAMAGED_MS) return { frame: 0, fade: 0 }
  const steps = (time - DAMAGED_MS) / FADE_MS
  if (steps >= frames - 1) return { frame: frames - 1, fade: 0 }
  return { frame: Math.floor(steps), fade: Math.round(20 * (steps % 1)) / 20 }
}
