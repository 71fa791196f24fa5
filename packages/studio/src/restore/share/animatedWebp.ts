/**
 * Animated WebP from still ones. No browser encodes animations, but a canvas encodes stills: the compressed data of
 * each becomes a frame of the animation (RIFF container: https://developers.google.com/speed/webp/docs/riff_container).
 */

/** A frame of an animation. */
export interface WebpFrame {
  /** A still WebP file of the animation's size. */
  file: Uint8Array
  /** How long it is shown, in milliseconds. */
  duration: number
}

/** The flags of an extended WebP file. */
const ANIMATION = 0x02
const ALPHA = 0x10
/** Bytes of the header of a chunk: a name of four letters and the length. */
const CHUNK_HEADER = 8
/** Flags of a frame: it replaces the pixels under it instead of being blended with them. */
const NO_BLENDING = 0x02

/**
 * Joins still WebP files to an animation that repeats for ever. Throws if there is no frame or one is no WebP file.
 * @param width and height of the frames in pixels
 */
export function joinWebp(
  frames: readonly WebpFrame[],
  { width, height }: { width: number; height: number },
): Uint8Array<ArrayBuffer> {
  if (frames.length === 0) throw new Error('An animation needs at least one frame.')
  const stills = frames.map(({ file }) => imageChunks(file))
  const alpha = stills.some((chunks) => chunks.some(({ name, data }) => hasAlpha(name, data)))
  const chunks = [
    chunk('VP8X', [
      ANIMATION | (alpha ? ALPHA : 0),
      0,
      0,
      0,
      ...number24(width - 1),
      ...number24(height - 1),
    ]),
    // The background is transparent, and 0 repetitions are endless ones.
    chunk('ANIM', [0, 0, 0, 0, 0, 0]),
    ...stills.map((still, n) =>
      chunk(
        'ANMF',
        [...number24(0), ...number24(0), ...number24(width - 1), ...number24(height - 1)],
        [...number24(Math.round(frames[n].duration)), NO_BLENDING],
        ...still.map(({ name, data }) => chunk(name, data)),
      ),
    ),
  ]
  return chunk('RIFF', new TextEncoder().encode('WEBP'), ...chunks)
}

/** Returns the chunks of a still WebP file that hold its pixels and alpha channel. */
function imageChunks(file: Uint8Array): { name: string; data: Uint8Array }[] {
  const text = (from: number): string => String.fromCharCode(...file.subarray(from, from + 4))
  if (text(0) !== 'RIFF' || text(8) !== 'WEBP') throw new Error('A frame of the animation is no WebP file.')
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const chunks: { name: string; data: Uint8Array }[] = []
  for (let at = 12; at + CHUNK_HEADER <= file.length; ) {
    const [name, length] = [text(at), view.getUint32(at + 4, true)]
    const from = at + CHUNK_HEADER
    if (['ALPH', 'VP8 ', 'VP8L'].includes(name))
      chunks.push({ name, data: file.subarray(from, from + length) })
    at = from + length + (length % 2)
  }
  if (!chunks.some(({ name }) => name !== 'ALPH')) throw new Error('A frame of the animation has no pixels.')
  return chunks
}

/** Whether a chunk has an alpha channel: bit 28 of the header of lossless pixels says so. */
const hasAlpha = (name: string, data: Uint8Array): boolean =>
  name === 'ALPH' || (name === 'VP8L' && (data[4] & 0x10) !== 0)

/** Returns a number as three bytes, the lowest first. */
const number24 = (x: number): number[] => [x & 255, (x >> 8) & 255, (x >> 16) & 255]

/** Returns a chunk of a RIFF file: name, length, content, and a byte if the length is odd. */
function chunk(name: string, ...contents: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const length = contents.reduce((sum, content) => sum + content.length, 0)
  const bytes = new Uint8Array(CHUNK_HEADER + length + (length % 2))
  bytes.set(new TextEncoder().encode(name))
  new DataView(bytes.buffer).setUint32(4, length, true)
  let at = CHUNK_HEADER
  for (const content of contents) {
    bytes.set(content, at)
    at += content.length
  }
  return bytes
}
