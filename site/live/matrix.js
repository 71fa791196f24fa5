/** The matrix of the home page, its hidden cells and its colours; without the library, so that the build can draw it, too. */

/** Rows and columns of the matrix. */
export const SIZE = [72, 128]

/** A number from 0 to 1 that looks random, by a seed. @param {number} n */
function noise(n) {
  let x = Math.imul(n + 1, 0x9e3779b1)
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b)
  return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32
}

/** The whole matrix: passengers of 72 stations on four days, in 32 slots each, with noise of 9%. */
export function wholeMatrix() {
  const [rows, columns] = SIZE
  return Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) => {
      const day = 1 + Math.sin((2 * Math.PI * j) / 32 - 1.2)
      const rush = Math.exp(-(((j % 32) - 9) ** 2) / 5) + 0.8 * Math.exp(-(((j % 32) - 22) ** 2) / 7)
      const weekend = j >= 96 ? 0.45 : 1
      const centre = Math.exp(-((i - 24) ** 2) / 160)
      const homes = 0.35 + 0.6 * noise(i + 900) * (i > 36 ? 1 : 0.4)
      const value = 20 + 150 * rush * weekend * centre + 60 * day * homes
      return value * (1 + 0.3 * (noise(i * 128 + j + 5e5) - 0.5))
    }),
  )
}

/**
 * The matrix with a fraction of its cells hidden: null.
 * @param {number[][]} whole @param {number} fraction @param {number} seed another one hides other cells
 * @returns {(number | null)[][]}
 */
export const hideCells = (whole, fraction, seed) =>
  whole.map((row, i) => row.map((value, j) => (noise(seed * 1e6 + i * 977 + j) < fraction ? null : value)))

/** The red, green and blue of a value, dark for small ones; grey for a cell without one. @param {number | null} value */
export function colourOf(value) {
  if (value === null) return [128, 128, 134]
  const t = Math.min(1, Math.max(0, value / 240))
  return [255 * Math.min(1, 0.05 + 1.5 * t), 255 * t ** 1.3, 255 * (0.28 + 0.5 * t ** 3 - 0.25 * t)]
}
