/** A picture as a tensor of row × column × channel, as in the paper. */
import { float32Array, uint32Array } from '../base/sharedArrays.ts'
import type { CpModel } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import type { Size } from './patches.ts'

/** Returns the known values of a picture as a tensor of row × column × channel. */
export function pixelTensor(
  values: Float32Array,
  known: Uint8Array,
  { width, height, channels }: Size,
): SparseTensor {
  let entries = 0
  for (const is of known) entries += is
  const indices = [0, 1, 2].map(() => uint32Array(entries))
  const found = float32Array(entries)
  let e = 0
  for (let at = 0; at < known.length; at++) {
    if (!known[at]) continue
    indices[0][e] = Math.floor(at / (width * channels))
    indices[1][e] = Math.floor(at / channels) % width
    indices[2][e] = at % channels
    found[e++] = values[at]
  }
  return { dims: [height, width, channels], indices, values: found }
}

/** Returns all values (height × width × channels) that a model of row × column × channel predicts. */
export function pixelValues(model: CpModel): Float32Array {
  return model.slice([null, null, null]).values
}
