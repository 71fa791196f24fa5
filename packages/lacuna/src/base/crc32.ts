/** CRC-32 checksums, as zip files and PNG images use them. */

/** The remainder of each byte modulo the polynomial of CRC-32, bits reversed. */
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

/** Returns the CRC-32 of bytes. @param before the CRC-32 of the bytes that precede them, to continue from */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (let at = 0; at < bytes.length; at++) crc = table[(crc ^ bytes[at]) & 255] ^ (crc >>> 8)
  return ~crc >>> 0
}
