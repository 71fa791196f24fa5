/** The ranks a kernel is compiled for; a rank in between uses the next one, its rows padded with zeros. */
export const paddedRanks: readonly number[] = [
  ...Array.from({ length: 16 }, (_, i) => 4 * (i + 1)), // 4 … 64
  ...Array.from({ length: 8 }, (_, i) => 64 + 8 * (i + 1)), // 72 … 128
  ...Array.from({ length: 8 }, (_, i) => 128 + 16 * (i + 1)), // 144 … 256
]
