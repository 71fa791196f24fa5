import { InputError } from '../base/inputError.ts'

/** A picture in memory: greyscale or colour, 8 or 16 bits a value. */
export interface Picture {
  readonly width: number
  readonly height: number
  /** 1 (grey) or 3 (red, green, blue). */
  readonly channels: 1 | 3
  /** White: 255 or 65535. */
  readonly maximum: 255 | 65535
  /** (height × width × channels), row-major. */
  readonly data: Uint8Array | Uint16Array
}

/** One byte per value of a picture: 1 where it is known, 0 in a hole. */
export type Known = Uint8Array

/** Room for the values of a picture. */
export function emptyData({ width, height, channels, maximum }: Omit<Picture, 'data'>): Picture['data'] {
  const length = width * height * channels
  return maximum === 255 ? new Uint8Array(length) : new Uint16Array(length)
}

/** The values between 0 (black) and 1 (white). */
export function brightness({ data, maximum }: Picture): Float32Array {
  return Float32Array.from(data, (value) => value / maximum)
}

/** The picture with its holes filled; where values are known they stay, bit for bit, unless they are to be replaced. */
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

/** Two pictures that are compared or joined must be of one size. */
export function checkSameSize(a: Picture, b: Omit<Picture, 'data' | 'maximum'>, what: string): void {
  if (a.width === b.width && a.height === b.height && a.channels === b.channels) return
  const size = (p: Omit<Picture, 'data' | 'maximum'>): string =>
    `${p.width}×${p.height}, ${p.channels === 1 ? 'grey' : 'colour'}`
  throw new InputError('shape', `${what} is ${size(b)}, but the picture is ${size(a)}; they must be alike.`)
}
