import { type SparseTensor, sparseTensor } from 'lacuna'
import { draw, stream, unit } from '#dist/random.js'
import type { Mask } from './damage.ts'

export function hideAtRandom([width, height]: readonly [number, number], share: number, seed: number): Mask {
  const key = stream(seed, 78)
  return Uint8Array.from({ length: width * height }, (_, p) => (unit(draw(key, p)) < share ? 1 : 0))
}

export function arrange(picture: ImageData, mask: Mask): SparseTensor {
  const { width, height, data } = picture
  const known: number[] = []
  for (let p = 0; p < mask.length; p++) if (!mask[p]) known.push(3 * p, 3 * p + 1, 3 * p + 2)
  return sparseTensor({
    dims: [height, width, 3],
    indices: [
      Uint32Array.from(known, (at) => Math.floor(at / 3 / width)),
      Uint32Array.from(known, (at) => Math.floor(at / 3) % width),
      Uint32Array.from(known, (at) => at % 3),
    ],
    values: Float32Array.from(known, (at) => data[4 * Math.floor(at / 3) + (at % 3)] / 255),
  })
}

export function assemble(factors: readonly Float32Array[], picture: ImageData, mask: Mask): ImageData {
  const { width, height } = picture
  const rank = factors[0].length / height
  const result = new ImageData(new Uint8ClampedArray(picture.data), width)
  const [rows, columns, channels] = factors
  const weights = new Float32Array(3 * rank)
  for (let y = 0; y < height; y++) {
    for (let c = 0; c < 3; c++)
      for (let r = 0; r < rank; r++) weights[c * rank + r] = rows[y * rank + r] * channels[c * rank + r]
    for (let x = 0; x < width; x++) {
      const p = y * width + x
      if (!mask[p]) continue
      for (let c = 0; c < 3; c++) {
        let sum = 0
        for (let r = 0; r < rank; r++) sum += weights[c * rank + r] * columns[x * rank + r]
        result.data[4 * p + c] = 255 * sum
      }
    }
  }
  return result
}

/** Over the lost pixels, in decibels. */
export function psnr(picture: ImageData, restored: ImageData, mask: Mask): number {
  let squares = 0
  let lost = 0
  for (let p = 0; p < mask.length; p++) {
    if (!mask[p]) continue
    lost++
    for (let c = 0; c < 3; c++) squares += (picture.data[4 * p + c] - restored.data[4 * p + c]) ** 2
  }
  return 10 * Math.log10(255 ** 2 / (squares / (3 * lost)))
}
