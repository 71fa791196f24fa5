/** What is lost of a picture: hidden at random, or real holes marked by transparency, a mask or a colour. */
import { InputError } from '../base/inputError.ts'
import { draw, purpose, stream } from '../base/random.ts'
import type { Known, Picture } from './picture.ts'

/** Hides exactly this share (rounded) of the pixels, or of the single values, every choice being equally likely. */
export function hideAtRandom(
  { width, height, channels }: Omit<Picture, 'data'>,
  { share, perChannel = false, seed = 1 }: { share: number; perChannel?: boolean; seed?: number },
): Known {
  if (!(share > 0 && share < 1))
    throw new InputError('option', `The share to hide is ${share}; it must lie between 0 and 1.`)
  const places = width * height * (perChannel ? channels : 1)
  const hidden = Math.round(share * places)
  if (hidden === 0 || hidden === places)
    throw new InputError(
      'empty',
      `Hiding ${share} of ${places} values leaves ${hidden === 0 ? 'nothing to restore' : 'nothing to learn from'}; choose another share.`,
    )
  const kept = keepAtRandom(places, places - hidden, stream(seed, purpose.damage))
  return perChannel ? kept : perPixel(kept, channels)
}

/** The holes are where the alpha channel (height × width) is entirely transparent. */
export function holesOfAlpha(alpha: ArrayLike<number>, channels: number): Known {
  return perPixel(
    Uint8Array.from(alpha, (value) => (value > 0 ? 1 : 0)),
    channels,
  )
}

/** The holes are where the mask, grey or coloured, is brighter than half. */
export function holesOfMask(picture: Omit<Picture, 'data'>, mask: Picture): Known {
  if (mask.width !== picture.width || mask.height !== picture.height)
    throw new InputError(
      'shape',
      `The mask is ${mask.width}×${mask.height}, but the picture is ${picture.width}×${picture.height}; they must be of one size.`,
    )
  const kept = new Uint8Array(mask.width * mask.height)
  for (let p = 0; p < kept.length; p++) {
    let sum = 0
    for (let k = 0; k < mask.channels; k++) sum += mask.data[p * mask.channels + k]
    kept[p] = 2 * sum > mask.channels * mask.maximum ? 0 : 1
  }
  return perPixel(kept, picture.channels)
}

/** The holes are the pixels of exactly this colour, given as RRGGBB. */
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
  const kept = new Uint8Array(data.length / channels)
  for (let p = 0; p < kept.length; p++)
    for (let k = 0; k < channels; k++) if (data[p * channels + k] !== wanted[k]) kept[p] = 1
  return perPixel(kept, channels)
}

/** How many values are hidden. */
export function countHidden(known: Known): number {
  let hidden = 0
  for (const is of known) hidden += 1 - is
  return hidden
}

function perPixel(kept: Uint8Array, channels: number): Known {
  const known = new Uint8Array(kept.length * channels)
  for (let p = 0; p < kept.length; p++) known.fill(kept[p], p * channels, (p + 1) * channels)
  return known
}

/** Ones in `wanted` of `places`: each place in turn is taken with the chance that the rest of the places leaves it. */
export function keepAtRandom(places: number, wanted: number, key: number): Uint8Array {
  const kept = new Uint8Array(places)
  let left = wanted
  for (let p = 0; p < places; p++) {
    if ((draw(key, p) / 2 ** 32) * (places - p) >= left) continue
    kept[p] = 1
    left--
  }
  return kept
}
