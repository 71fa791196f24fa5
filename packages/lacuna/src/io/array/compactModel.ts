/**
 * A compact model file: factors as float16, or as 8-bit numbers with a scale per row, and everything deflated. It is
 * read as any other model; NumPy multiplies factor_1 by factor_scale_1 where there is one.
 */
import { zipSync } from 'fflate'
import type { Bytes } from '../../base/bytes.ts'
import { InputError } from '../../base/inputError.ts'
import { CpEnsemble, type CpModel } from '../../model/index.ts'
import { encodeNpy, type NpyArray, npyHeader } from '../npz/index.ts'
import { ensembleEntries } from './ensembleFile.ts'
import { LARGEST_BYTE, modelEntries } from './modelFile.ts'

/** How the factors of a compact model are stored. */
export type CompactKind = 'float16' | 'int8'

/** The largest float16. */
const LARGEST_HALF = 65504
/** 1 January 1980, where zip's calendar begins: equal models give equal bytes. */
const DATE = new Date(1980, 0, 1)

/**
 * Encodes a model or an ensemble as a compact .npz: the factors as float16, with a relative error below 0.05%, or as
 * 8-bit numbers, with an error below 0.2% of the largest number of their row. Throws if a number is too large for
 * float16.
 */
export function encodeCompactModel(model: CpModel | CpEnsemble, kind: CompactKind): Bytes {
  const entries = model instanceof CpEnsemble ? ensembleEntries(model) : modelEntries(model)
  const files = Object.entries(entries).flatMap(([name, entry]) =>
    entry instanceof Uint8Array ? [[name, entry] as const] : Object.entries(compactArray(name, entry, kind)),
  )
  return zipSync(Object.fromEntries(files), { level: 9, mtime: DATE }) as Bytes
}

/** The files of an array, by name: factors as `kind`, counts and means in fewer bytes where they fit. */
function compactArray(name: string, array: NpyArray, kind: CompactKind): Record<string, Uint8Array> {
  const { data } = array
  if (/(^|\/)factor_\d+\.npy$/.test(name) && data instanceof Float32Array)
    return kind === 'float16'
      ? { [name]: encodeHalves(name, array.shape, data) }
      : encodeBytesOfRows(name, array.shape, data)
  if (/(^|\/)mean_\d+\.npy$/.test(name) && data instanceof Float32Array && largestOf(data) <= LARGEST_HALF)
    return { [name]: encodeHalves(name, array.shape, data) }
  if (/(^|\/)entries_\d+\.npy$/.test(name) && data instanceof Uint32Array) {
    const largest = largestOf(data)
    const small = largest < 2 ** 8 ? Uint8Array.from(data) : largest < 2 ** 16 ? Uint16Array.from(data) : data
    return { [name]: encodeNpy({ shape: array.shape, data: small }) }
  }
  return { [name]: encodeNpy(array) }
}

/** The largest absolute value of an array; 0 if it is empty. */
const largestOf = (data: Float32Array | Uint32Array): number => {
  let largest = 0
  for (const x of data) largest = Math.max(largest, Math.abs(x))
  return largest
}

/** An .npy file of float16; throws if a number is too large. */
function encodeHalves(name: string, shape: readonly number[], data: Float32Array): Uint8Array {
  const largest = largestOf(data)
  if (largest > LARGEST_HALF)
    throw new InputError(
      'value',
      `${name} has the number ${largest}, and float16 ends at ${LARGEST_HALF}; write the model as int8.`,
    )
  const header = npyHeader('<f2', shape)
  const bytes = new Uint8Array(header.length + 2 * data.length)
  bytes.set(header)
  const view = new DataView(bytes.buffer)
  data.forEach((x, at) => {
    view.setUint16(header.length + 2 * at, toHalf(x), true)
  })
  return bytes
}

/** A factor as an .npy file of 8-bit numbers, and one of the scale of each row: x ≈ scale · byte. */
function encodeBytesOfRows(
  name: string,
  [rows, rank]: readonly number[],
  data: Float32Array,
): Record<string, Uint8Array> {
  const scales = new Float32Array(rows)
  const bytes = new Uint8Array(data.length)
  for (let row = 0; row < rows; row++) {
    const values = data.subarray(row * rank, (row + 1) * rank)
    scales[row] = largestOf(values) / LARGEST_BYTE
    if (scales[row] > 0)
      values.forEach((x, r) => {
        bytes[row * rank + r] = Math.min(LARGEST_BYTE, Math.round(x / scales[row]))
      })
  }
  return {
    [name]: encodeNpy({ shape: [rows, rank], data: bytes }),
    [name.replace('factor_', 'factor_scale_')]: encodeNpy({ shape: [rows], data: scales }),
  }
}

/** The bits of the float16 nearest to a number, ties to even; it must not be larger than LARGEST_HALF. */
export function toHalf(x: number): number {
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0
  const size = Math.abs(x)
  const exponent = Math.max(-14, Math.floor(Math.log2(size)))
  // Steps of a float16 of this exponent; below 2⁻¹⁴ they no longer become smaller.
  const steps = roundHalfToEven(size / 2 ** (exponent - 10))
  // A carry into the next exponent is the addition that it should be.
  return size === 0 ? sign : sign + (((exponent + 14) << 10) + steps)
}

/** The nearest whole number; of two that are equally near, the even one. */
function roundHalfToEven(x: number): number {
  const below = Math.floor(x)
  const rest = x - below
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below
}
