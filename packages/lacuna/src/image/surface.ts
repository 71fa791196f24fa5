/**
 * The surface through the known values of a picture, without the CP model: a mixture of Gaussians over patches
 * (mixture/), blended with a thin plate (smoothStart.ts). The mixture continues edges and textures; the plate
 * is better where a picture is smooth and little is known of it.
 */
import { addWeighted, blendWeights } from './blendWeights.ts'
import type { Proposal } from './drafts.ts'
import { removeHeldOut } from './heldOut.ts'
import { type Choices, learnMixture, type OnRows, predictByMixture } from './mixture/index.ts'
import type { Size } from './patches.ts'
import { smoothValues } from './smoothStart.ts'

/** A picture with holes, its arrays (height × width × channels). */
interface KnownValues {
  values: Float32Array
  /** 1 where a value is known. */
  known: Uint8Array
  /** 1 at the known values that are held out. */
  heldOut: Uint8Array
}

/** Surfaces (height × width × channels) with and without the held-out values. */
interface Surfaces {
  /** Made without the held-out values: what others are compared with on them. */
  start: Float32Array
  /** Made of all known values. */
  surface: Float32Array
}

/**
 * Fits the surface to a picture with holes.
 * @param signal ends the work early; then more of the surface is thin plate
 * @param propose called with parts of the surface as soon as they are known
 */
export async function fitSurface(
  { values, known, heldOut }: KnownValues,
  size: Size,
  signal?: AbortSignal,
  propose?: (rows: Proposal) => Promise<void>,
): Promise<Surfaces> {
  const trained = removeHeldOut(known, heldOut)
  const plates = { start: smoothValues(values, trained, size), surface: smoothValues(values, known, size) }
  await propose?.({ first: 0, shown: plates.surface, judged: plates.start })
  const mixture = await learnMixture(values, trained, size, signal)
  const choices: Choices = [] // the held-out values hardly change them
  const predict = (of: Uint8Array, plate: Float32Array, onRows?: OnRows): Promise<Float32Array> =>
    predictByMixture(mixture, values, of, size, plate, choices, signal, onRows)
  const mixed = await predict(
    trained,
    plates.start,
    propose && ((first, rows) => propose({ first, shown: rows, judged: rows })),
  )
  const weights = blendWeights({ values, heldOut, start: plates.start, guess: mixed }, size, 1)
  const start = addWeighted(plates.start, weights, { start: plates.start, guess: mixed })
  const perRow = size.width * size.channels
  const whole = await predict(
    known,
    plates.surface,
    propose &&
      ((first, guess) => {
        const [from, to] = [first * perRow, first * perRow + guess.length]
        const plate = plates.surface.subarray(from, to)
        const rowWeights = weights.subarray(first * size.width, to / size.channels)
        const shown = addWeighted(plate, rowWeights, { start: plate, guess })
        return propose({ first, shown, judged: start.subarray(from, to) })
      }),
  )
  return {
    start,
    surface: addWeighted(plates.surface, weights, { start: plates.surface, guess: whole }),
  }
}
