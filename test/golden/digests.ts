/** Hashes by which results of two releases are compared. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'

/** A hash of pieces of bytes or text, in their order. */
export const digest = (pieces: Iterable<Uint8Array | string>): string => {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece)
  return hash.digest('hex').slice(0, 32)
}

/** A hash of all arrays of a model file; not of the JSON beside them, which has times. */
export function digestOfArrays(path: string): string {
  const files = unzipSync(readFileSync(path))
  const names = Object.keys(files).filter((name) => !name.endsWith('.json'))
  return digest(names.sort().flatMap((name) => [name, files[name]]))
}

/** A hash of factors. */
export const digestOfFactors = (factors: readonly Float32Array[]): string =>
  digest(factors.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)))
