/** Lines of stdin as they arrive. */

/** A line, or why it was refused. */
export type Line = { text: string } | { refused: string }

/** Bytes of lines that wait from which on reading pauses. */
const MOST_WAITING_BYTES = 2 ** 26

/**
 * Yields the lines of a stream. It reads ahead of what is taken, so that `onEnd` is called when the stream ends, also while
 * a line is being worked on. A line that is too long is skipped to its end.
 * @param mostBytes most bytes of a line
 * @param onEnd called once
 */
export async function* readLines(
  stream: NodeJS.ReadableStream & { pause(): unknown; resume(): unknown },
  mostBytes: number,
  onEnd: () => void,
): AsyncGenerator<Line> {
  const splitter = new LineSplitter(mostBytes)
  let isEnded = false
  let wake = (): void => {}
  stream.on('data', (piece: Buffer) => {
    splitter.add(piece)
    if (splitter.waitingBytes > MOST_WAITING_BYTES) stream.pause()
    wake()
  })
  const end = (): void => {
    if (isEnded) return
    isEnded = true
    splitter.end()
    onEnd()
    wake()
  }
  stream.on('end', end).on('error', end).on('close', end)
  for (;;) {
    const line = splitter.take()
    if (line) {
      yield line
      continue
    }
    if (isEnded) return
    const more = new Promise<void>((resolve) => {
      wake = resolve
    })
    stream.resume()
    await more
  }
}

/** Splits bytes into lines of UTF-8. */
class LineSplitter {
  readonly #mostBytes: number
  readonly #lines: (Buffer | 'long')[] = []
  #pieces: Buffer[] = []
  #length = 0
  /** Bytes of whole lines that were not taken. */
  waitingBytes = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Adds bytes. */
  add(piece: Buffer): void {
    let from = 0
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
      this.#append(piece.subarray(from, end))
      this.end()
      from = end + 1
    }
    this.#append(piece.subarray(from))
  }

  /** Ends the line that has begun, if any. */
  end(): void {
    if (this.#length > this.#mostBytes) this.#lines.push('long')
    else if (this.#length > 0) {
      this.#lines.push(Buffer.concat(this.#pieces))
      this.waitingBytes += this.#length
    }
    this.#pieces = []
    this.#length = 0
  }

  /** The next whole line; undefined if there is none. */
  take(): Line | undefined {
    const line = this.#lines.shift()
    if (line === undefined) return undefined
    if (line === 'long')
      return {
        refused: `The line has more than the ${this.#mostBytes} bytes that this process allows; send several requests.`,
      }
    this.waitingBytes -= line.length
    try {
      return { text: new TextDecoder('utf-8', { fatal: true }).decode(line) }
    } catch {
      return { refused: 'The line is not UTF-8.' }
    }
  }

  /** Appends to the line that has begun; bytes beyond the limit are counted and dropped. */
  #append(bytes: Buffer): void {
    this.#length += bytes.length
    if (this.#length > this.#mostBytes) this.#pieces = []
    else if (bytes.length > 0) this.#pieces.push(bytes)
  }
}
