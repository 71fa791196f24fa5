import { totalmem } from 'node:os'
import { InputError } from '../../../inputError.ts'
import type { Input } from './input.ts'

/** What one file may take in memory: half of this machine's, and no more than a zip may hold. */
export const maxFileBytes = (): number => Math.min(2 ** 32 - 1, Math.floor(totalmem() / 2))

/** The whole of a file that must be in memory to be read, unpacked if it was gzip. */
export async function readWhole(
  { name, byteLength, open }: Pick<Input, 'name' | 'byteLength' | 'open'>,
  onProgress?: (bytesRead: number, byteLength: number) => void,
): Promise<Uint8Array> {
  const limit = maxFileBytes()
  const tooLarge = (bytes: number) =>
    new InputError(
      'memory',
      `${name}: the file has ${bytes} bytes, more than the ${limit} that fit in memory here; save its observed entries as .tns or Parquet.`,
    )
  if (byteLength > limit) throw tooLarge(byteLength)
  let bytes: Uint8Array = new Uint8Array(byteLength)
  let length = 0
  for await (const piece of open()) {
    if (length + piece.length > bytes.length) {
      // A pipe, or gzip under another name: its length shows only now.
      if (length + piece.length > limit) throw tooLarge(length + piece.length)
      const larger = new Uint8Array(Math.min(limit, 2 * (length + piece.length)))
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(piece, length)
    length += piece.length
    onProgress?.(Math.min(length, byteLength), byteLength)
  }
  return bytes.subarray(0, length)
}
