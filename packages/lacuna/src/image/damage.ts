/** The holes of a picture: hidden at random, or marked by transparency, a mask or a colour. */
import { InputError } from '../base/inputError.ts'
import { draw, purpose, stream } from '../base/random.ts'
import type { Known, Picture } from './picture.ts'

/**
 * Hides a fraction of a picture at random; throws if that hides nothing or everything.
 * @param options share: the fraction to hide, above 0 and below 1; perChannel: whether single values are
 * hidden, not pixels, false by default; seed: 1 by default
 * @returns which values stay known
 */
export function hideAtRandom(
  { width, height, channels }: Omit<Picture, 'data'>,
  { share, perChannel = false, seed = 1 }: { share: number; perChannel?: boolean; seed?: number },
): Known {
  if (!(share > 0 && share < 1))
    throw new InputError(
      'option',
      `The fraction of the pixels to hide is ${share}; it must lie between 0 and 1, ends excluded.`,
    )
  const count = width * height * (perChannel ? channels : 1)
  const hidden = Math.round(share * count)
  if (hidden === 0 || hidden === count)
    throw new InputError(
      'empty',
      `Hiding ${share} of ${count} values leaves ${hidden === 0 ? 'nothing to restore' : 'nothing to learn from'}; choose another share.`,
    )
  const known = pickAtRandom(count, count - hidden, stream(seed, purpose.damage))
  return perChannel ? known : repeatPerChannel(known, channels)
}

/**
 * Makes holes where the alpha channel (height × width) is entirely transparent.
 * @param channels values per pixel of the picture
 * @returns which values are known
 */
export function holesOfAlpha(alpha: ArrayLike<number>, channels: number): Known {
  return repeatPerChannel(
    Uint8Array.from(alpha, (value) => (value > 0 ? 1 : 0)),
    channels,
  )
}

/**
 * Makes holes where a mask, grey or coloured, is brighter than half; throws if the sizes differ.
 * @param picture the picture's size
 * @param mask of the same width and height
 * @returns which values are known
 */
export function holesOfMask(picture: Omit<Picture, 'data'>, mask: Picture): Known {
  if (mask.width !== picture.width || mask.height !== picture.height)
    throw new InputError(
      'shape',
      `The mask is ${mask.width}×${mask.height}, but the picture is ${picture.width}×${picture.height}; they must be of one size.`,
    )
  const known = new Uint8Array(mask.width * mask.height)
  for (let p = 0; p < known.length; p++) {
    let sum = 0
    for (let k = 0; k < mask.channels; k++) sum += mask.data[p * mask.channels + k]
    known[p] = 2 * sum > mask.channels * mask.maximum ? 0 : 1
  }
  return repeatPerChannel(known, picture.channels)
}

/**
 * Makes holes at the pixels of exactly one colour.
 * @param colour as RRGGBB, with or without #
 * @returns which values are known
 */
export function holesOfColour({ channels, maximum, data }: Picture, colour: string): Known {
  const hex = /^#?([0-9a-f]{6})$/i.exec(colour)?.[1]
  if (!hex)
    throw new InputError(
      'option',
      `The colour of the holes is '${colour}'; write it as RRGGBB, as in ff00ff.`,
    )
  const parts = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  if (channels === 1 && new Set(parts).size > 1)
    throw new InputError('option', `The picture is grey, but the colour of the holes, ${colour}, is not.`)
  const wanted = parts.map((part) => (part * maximum) / 255)
  const known = new Uint8Array(data.length / channels)
  for (let p = 0; p < known.length; p++)
    for (let k = 0; k < channels; k++) if (data[p * channels + k] !== wanted[k]) known[p] = 1
  return repeatPerChannel(known, channels)
}

/** Returns the number of hidden values. */
export function countHidden(known: Known): number {
  let hidden = 0
  for (const is of known) hidden += 1 - is
  return hidden
}

/** Converts flags of pixels to flags of values: each is repeated for every channel. */
function repeatPerChannel(pixels: Uint8Array, channels: number): Known {
  const known = new Uint8Array(pixels.length * channels)
  for (let p = 0; p < pixels.length; p++) known.fill(pixels[p], p * channels, (p + 1) * channels)
  return known
}

/**
 * Returns `count` flags, of which `wanted` are 1; every choice is equally likely (selection sampling).
 * @param key the key of the random numbers
 */
export function pickAtRandom(count: number, wanted: number, key: number): Uint8Array {
  const picked = new Uint8Array(count)
  let left = wanted
  for (let p = 0; p < count; p++) {
    if ((draw(key, p) / 2 ** 32) * (count - p) >= left) continue
    picked[p] = 1
    left--
  }
  return picked
}
