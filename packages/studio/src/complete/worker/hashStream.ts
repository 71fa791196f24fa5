/**
 * A hash of 128 bits of a file's content: four lanes of multiplications and rotations as in MurmurHash3. It
 * distinguishes files, but is no protection against files that are made to have the same hash. The browser's own
 * SHA-256 needs the whole file in memory, and is not there on hosts without https.
 */

const PRIMES = [0x9e3779b1, 0x85ebca77, 0xc2b2ae3d, 0x27d4eb2f] as const

/** Mixes the bits of a number of 32 bits. */
function mixBits(x: number): number {
  let h = x
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Hashes the bytes of a stream, however they are cut into pieces; throws if the signal is aborted. */
export async function hashStream(stream: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<string> {
  const lanes: number[] = [...PRIMES]
  let word = 0
  let length = 0
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal?.throwIfAborted()
      if (done) break
      for (const byte of value) {
        word = (word << 8) | byte
        length++
        if ((length & 3) !== 0) continue
        const lane = (length >>> 2) & 3
        const mixed = Math.imul(lanes[lane] ^ word, PRIMES[lane])
        lanes[lane] = (mixed << 13) | (mixed >>> 19)
        word = 0
      }
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
  // Every lane of the result depends on all lanes, on the last bytes and on the length.
  const all = lanes.reduce(
    (hash, lane) => mixBits(hash ^ lane),
    mixBits(word ^ mixBits(length) ^ Math.floor(length / 2 ** 32)),
  )
  return lanes
    .map((lane) =>
      mixBits(Math.imul(lane, PRIMES[0]) ^ all)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
}
