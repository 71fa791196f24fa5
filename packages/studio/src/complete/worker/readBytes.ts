/** Streams the bytes of a file in the worker, and reports how many have been read. */
import { InputError } from 'lacuna'
import { packingByName } from 'lacuna/internal'

/** Streams the bytes of a file, decompressed if its name ends with .gz. */
export async function* readBytes(file: File, onRead: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array<ArrayBuffer>>({
    transform(piece, controller) {
      bytes += piece.length
      onRead(bytes)
      controller.enqueue(piece as Uint8Array<ArrayBuffer>)
    },
  })
  const stream = file.stream().pipeThrough(counted)
  const plain: ReadableStream<Uint8Array> = packingByName(file.name)
    ? stream.pipeThrough(new DecompressionStream('gzip'))
    : stream
  const reader = plain.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } catch (error) {
    if (error instanceof TypeError)
      throw new InputError(
        'option',
        `${file.name}: the gzip data is damaged or cut short; fetch the file again.`,
        {
          cause: error,
        },
      )
    throw error
  } finally {
    void reader.cancel().catch(() => {})
  }
}

/** Returns a function that passes at most one call in 100 ms on to `report`, and drops the others. */
export function throttle(report: (bytes: number) => void): (bytes: number) => void {
  let lastCall = -Infinity
  return (bytes) => {
    if (performance.now() - lastCall < 100) return
    lastCall = performance.now()
    report(bytes)
  }
}
