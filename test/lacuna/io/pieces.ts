import { InputError } from '#lacuna/base/inputError.js'

/** Text or bytes as a source of one piece, or of pieces of the given lengths (the rest in a last one). */
export async function* pieces(
  content: string | Uint8Array,
  lengths: readonly number[] = [],
): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  let at = 0
  for (const length of lengths) {
    yield bytes.slice(at, at + length)
    at += length
  }
  yield bytes.slice(at)
}

export function join(chunks: Iterable<Uint8Array>): Uint8Array {
  return Uint8Array.from([...chunks].flatMap((chunk) => [...chunk]))
}

/** What a promise was rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<Error> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  )
  if (!(error instanceof Error)) throw new Error('It should have been refused.')
  return error
}

/** The sentence with which input was refused. */
export async function sentence(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise)
  if (!(error instanceof InputError)) throw error
  return error.message
}

/** The bits of float32 values, so that -0 and 0 differ. */
export const bits = (values: Float32Array): number[] => [...new Uint32Array(Float32Array.from(values).buffer)]

/** A text as UTF-8. */
export const bytes = (text: string) => new TextEncoder().encode(text)

/** A .tns file of 200,000 entries. */
export const manyLines = Array.from(
  { length: 200_000 },
  (_, e) => `${e + 1} ${(e % 7) + 1} ${(e * 31) % 1000}\n`,
).join('')
