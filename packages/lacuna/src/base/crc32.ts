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

/**
 * The CRC-32 of bytes followed by `length` others, from those of both. A CRC is the remainder of a polynomial over GF(2): the
 * first is multiplied by x^(8·length), the second added.
 */
export function joinCrc32(first: number, second: number, length: number): number {
  let [factor, power] = [POWER_0, POWER_8]
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) factor = times(factor, power)
    power = times(power, power)
  }
  return (times(first, factor) ^ second) >>> 0
}

/** x⁰ and x⁸, the highest power in the lowest bit. */
const POWER_0 = 0x80000000
const POWER_8 = 0x00800000

/** The product modulo the CRC's polynomial. */
function times(a: number, b: number): number {
  let product = 0
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= b
    b = b & 1 ? (b >>> 1) ^ 0xedb88320 : b >>> 1
  }
  return product >>> 0
}
