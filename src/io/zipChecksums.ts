/**
 * A zip file keeps a CRC-32 of each file in the directory at its end; fflate unpacks without looking at it. Stored
 * numbers have no other guard: one flipped bit would be another factor.
 */
const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50

/** By name, the CRC-32 that the zip's directory gives; empty if the directory is beyond 4 GiB. */
export function zipChecksums(zip: Uint8Array): Map<string, number> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength)
  let end = zip.length - 22
  while (end >= 0 && view.getUint32(end, true) !== END_OF_DIRECTORY) end--
  const checksums = new Map<string, number>()
  let at = view.getUint32(end + 16, true)
  while (at + 46 <= end && view.getUint32(at, true) === DIRECTORY_ENTRY) {
    const nameLength = view.getUint16(at + 28, true)
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + nameLength))
    checksums.set(name, view.getUint32(at + 16, true))
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return checksums
}
