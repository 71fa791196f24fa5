const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte
  for (let bit = 0; bit < 8; bit++)
    remainder = remainder & 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1
  return remainder
})

/** The CRC-32 of some bytes, or of them after others that have the CRC-32 `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = ~before
  for (let at = 0; at < bytes.length; at++) crc = table[(crc ^ bytes[at]) & 255] ^ (crc >>> 8)
  return ~crc >>> 0
}
