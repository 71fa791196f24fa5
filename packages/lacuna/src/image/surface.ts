/**
 * The surface through the known values of a picture, without the CP model: a mixture of Gaussians over patches
 * (mixture/), blended with a thin plate (smoothStart.ts). The mixture continues edges and textures; the plate
 * is better where a picture is smooth and little is known of it.
 */
import { addWeighted, blendWeights } from './blendWeights.ts'
import { removeHeldOut } from './heldOut.ts'
import { type Choices, learnMixture, predictByMixture } from './mixture/index.ts'
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
 */
export async function fitSurface(
  { values, known, heldOut }: KnownValues,
  size: Size,
  signal?: AbortSignal,
): Promise<Surfaces> {
  const trained = removeHeldOut(known, heldOut)
  const mixture = await learnMixture(values, trained, size, signal)
  const choices: Choices = [] // the held-out values hardly change them
  const fit = async (of: Uint8Array): Promise<{ plate: Float32Array; mixed: Float32Array }> => {
    const plate = smoothValues(values, of, size)
    return { plate, mixed: await predictByMixture(mixture, values, of, size, plate, choices, signal) }
  }
  const { plate, mixed } = await fit(trained)
  const weights = blendWeights({ values, heldOut, start: plate, guess: mixed }, size, 1)
  const blend = (start: Float32Array, guess: Float32Array): Float32Array =>
    addWeighted(start, weights, { start, guess })
  const whole = await fit(known)
  return { start: blend(plate, mixed), surface: blend(whole.plate, whole.mixed) }
}
