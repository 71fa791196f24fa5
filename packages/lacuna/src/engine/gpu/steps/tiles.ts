/** Symmetric matrices as the device stores them: 4 × 4 tiles on and above the diagonal, by columns of tiles. */
import { type Shape, tilesOf } from '../shape.ts'

/** Numbers of a matrix in tiles. */
export const tileNumbers = (shape: Shape): number => 16 * tilesOf(shape)

/** The position of element (r, s) of a matrix in its tiles. */
export function positionInTiles(r: number, s: number): number {
  const [i, j] = r >> 2 > s >> 2 ? [s, r] : [r, s]
  return 16 * (((j >> 2) * ((j >> 2) + 1)) / 2 + (i >> 2)) + 4 * (i & 3) + (j & 3)
}

/** Copies a symmetric matrix (R × R), given on and above its diagonal, into tiles, from number `to` on. */
export function writeTiles(matrix: ArrayLike<number>, rank: number, tiles: Float32Array, to: number): void {
  for (let r = 0; r < rank; r++)
    for (let s = r; s < rank; s++) {
      tiles[to + positionInTiles(r, s)] = matrix[r * rank + s]
      // Tiles of the diagonal have both halves.
      if (r >> 2 === s >> 2) tiles[to + positionInTiles(s, r)] = matrix[r * rank + s]
    }
}

/** Returns the symmetric matrix (R × R) whose tiles begin at number `from`. */
export function readTiles(tiles: Float32Array, from: number, rank: number): Float64Array {
  const matrix = new Float64Array(rank * rank)
  for (let r = 0; r < rank; r++)
    for (let s = 0; s < rank; s++)
      matrix[r * rank + s] = tiles[from + positionInTiles(Math.min(r, s), Math.max(r, s))]
  return matrix
}
