/**
 * The frame of checkpoint files: a line that names the kind of file, a version, the length of a JSON text,
 * the text, a body, and the CRC-32 of everything before it.
 */
import { crc32 } from '../../base/crc32.ts'
import { InputError } from '../../base/inputError.ts'
import { isNestedTooDeep } from '../../base/jsonShape.ts'

/** A kind of framed file. */
export interface FrameKind {
  /** The first line, with its end. */
  magic: string
  /** Version of the format. */
  version: number
  /** Name of such a file in messages: a saved run. */
  what: string
}

/** Bytes of the first line, the version, and the length of the JSON text. */
const headBytes = ({ magic }: FrameKind): number => magic.length + 8

/**
 * Frames a header and a body as the bytes of a file, in pieces to be written one after another, so that the
 * body is not copied.
 */
export function frame(kind: FrameKind, header: object, body: readonly Uint8Array[]): Uint8Array[] {
  const json = new TextEncoder().encode(JSON.stringify(header))
  const head = new Uint8Array(headBytes(kind))
  head.set(new TextEncoder().encode(kind.magic))
  const view = new DataView(head.buffer)
  view.setUint32(kind.magic.length, kind.version, true)
  view.setUint32(kind.magic.length + 4, json.length, true)
  const chunks = [head, json, ...body]
  const end = new Uint8Array(4)
  const sum = chunks.reduce((crc, chunk) => crc32(chunk, crc), 0)
  new DataView(end.buffer).setUint32(0, sum, true)
  return [...chunks, end]
}

/** Whether bytes begin like a file of this kind. */
export const isFramed = ({ magic }: FrameKind, bytes: Uint8Array): boolean =>
  new TextDecoder().decode(bytes.subarray(0, magic.length)) === magic

/**
 * Takes a framed file apart into the parsed header and a view of the body. Throws an InputError if it is of
 * another kind or version, damaged or cut short.
 * @param name of the file, for error messages
 */
export function unframe(
  kind: FrameKind,
  bytes: Uint8Array,
  name: string,
): { header: unknown; body: Uint8Array } {
  const { magic, what } = kind
  const fault = (text: string): InputError => new InputError('format', `${name}: ${text}`)
  const start = headBytes(kind)
  if (bytes.length < start || !isFramed(kind, bytes))
    throw fault(`this is no ${what}; give one that Lacuna wrote.`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const version = view.getUint32(magic.length, true)
  if (version !== kind.version)
    throw fault(`this is version ${version} of ${what}s, and this Lacuna reads version ${kind.version}.`)
  const end = bytes.length - 4
  const jsonEnd = start + view.getUint32(magic.length + 4, true)
  if (jsonEnd > end || crc32(bytes.subarray(0, end)) !== view.getUint32(end, true))
    throw fault(`the ${what} is damaged or cut short; start anew, or from another copy.`)
  try {
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(start, jsonEnd)))
    if (isNestedTooDeep(header)) throw new RangeError('The JSON is nested too deep.')
    return { header, body: bytes.subarray(jsonEnd, end) }
  } catch (cause) {
    throw new InputError('format', `${name}: what it says of the run is no JSON; start anew.`, { cause })
  }
}
