/** Bodies of requests: read whole up to a limit, or as pieces of whole lines. */
import type { IncomingMessage } from 'node:http'

/** The media type of Arrow streams. */
export const ARROW = 'application/vnd.apache.arrow.stream'

/** The reason why a body is refused, and the HTTP status of the answer. */
export class BodyError extends Error {
  readonly status: 400 | 413 | 415

  constructor(status: 400 | 413 | 415, message: string) {
    super(message)
    this.status = status
  }
}

/** The kind of a body by its media type; throws for others, which pages of other sites could send unasked. */
export function kindOfBody(type: string | undefined): 'json' | 'lines' | 'arrow' {
  const [plain] = (type ?? '').split(';')
  const kind = plain.trim().toLowerCase()
  if (kind === 'application/json') return 'json'
  if (kind === 'application/x-ndjson' || kind === 'application/jsonl') return 'lines'
  if (kind === ARROW) return 'arrow'
  throw new BodyError(415, 'Send JSON as application/json, or lines of JSON as application/x-ndjson.')
}

/** Reads a body; throws if it has more bytes than allowed. */
export async function readBody(request: IncomingMessage, mostBytes: number): Promise<Uint8Array> {
  const tooLarge = new BodyError(
    413,
    `The body has more than the ${mostBytes} bytes that this server allows; send several requests, or NDJSON.`,
  )
  if (Number(request.headers['content-length'] ?? 0) > mostBytes) throw tooLarge
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > mostBytes) throw tooLarge
    pieces.push(piece)
  }
  return join(pieces, length)
}

/**
 * Yields a body in pieces of whole lines, as they arrive. Reads no faster than the pieces are taken. Throws if a line
 * is longer than allowed, or if there are too many.
 */
export async function* readLines(
  request: IncomingMessage,
  { mostLineBytes, mostRows }: { mostLineBytes: number; mostRows: number },
): AsyncGenerator<Uint8Array> {
  let pieces: Buffer[] = []
  let length = 0
  let rows = 0
  for await (const piece of request as AsyncIterable<Buffer>) {
    for (const byte of piece) if (byte === 10) rows++
    if (rows > mostRows)
      throw new BodyError(413, `The body has more than the ${mostRows} lines that this server allows.`)
    pieces.push(piece)
    length += piece.length
    const end = piece.lastIndexOf(10) + 1
    if (end === 0) {
      if (length > mostLineBytes)
        throw new BodyError(413, `A line has more than the ${mostLineBytes} bytes that this server allows.`)
      continue
    }
    pieces[pieces.length - 1] = piece.subarray(0, end)
    yield join(pieces, length - piece.length + end)
    pieces = [piece.subarray(end)]
    length = piece.length - end
  }
  if (length > 0) yield join(pieces, length)
}

/** Concatenates pieces into bytes of their own, which can be sent to a thread. */
function join(pieces: readonly Buffer[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
