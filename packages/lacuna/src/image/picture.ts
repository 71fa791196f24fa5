/** Pictures in memory and their known values. */
import { InputError } from '../base/inputError.ts'

/** A picture in memory: greyscale or colour, 8 or 16 bits a value. */
export interface Picture {
  /** Width in pixels. */
  readonly width: number
  /** Height in pixels. */
  readonly height: number
  /** Values per pixel: 1 (grey) or 3 (red, green, blue). */
  readonly channels: 1 | 3
  /** The value of white: 255 or 65535. */
  readonly maximum: 255 | 65535
  /** Values (height × width × channels), row-major. */
  readonly data: Uint8Array | Uint16Array
}

/** One byte per value of a picture: 1 where it is known, 0 in a hole. */
export type Known = Uint8Array

/** Allocates the values of a picture, all of them 0. */
export function emptyData({ width, height, channels, maximum }: Omit<Picture, 'data'>): Picture['data'] {
  const length = width * height * channels
  return maximum === 255 ? new Uint8Array(length) : new Uint16Array(length)
}

/** Returns the values of a picture, scaled to 0 (black) … 1 (white). */
export function brightness({ data, maximum }: Picture): Float32Array {
  return Float32Array.from(data, (value) => value / maximum)
}

/**
 * Returns a copy of a picture whose holes are filled; known values stay, bit for bit.
 * @param filled values (height × width × channels) between 0 and 1; others are clipped
 * @param replaceKnown whether known values are replaced, too
 */
export function fillHoles(
  picture: Picture,
  known: Known,
  filled: ArrayLike<number>,
  replaceKnown = false,
): Picture {
  const data = emptyData(picture)
  for (let at = 0; at < data.length; at++)
    data[at] =
      known[at] && !replaceKnown
        ? picture.data[at]
        : Math.round(Math.min(1, Math.max(0, filled[at])) * picture.maximum)
  return { ...picture, data }
}

/**
 * Throws if two pictures differ in width, height or channels.
 * @param what names the second one in the message
 */
export function checkSameSize(a: Picture, b: Omit<Picture, 'data' | 'maximum'>, what: string): void {
  if (a.width === b.width && a.height === b.height && a.channels === b.channels) return
  const size = (p: Omit<Picture, 'data' | 'maximum'>): string =>
    `${p.width}×${p.height}, ${p.channels === 1 ? 'grey' : 'colour'}`
  throw new InputError('shape', `${what} is ${size(b)}, but the picture is ${size(a)}; they must be alike.`)
}
