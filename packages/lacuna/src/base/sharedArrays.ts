/**
 * Arrays that worker threads can read without a copy, where the platform allows it (Node, and pages that
 * are cross-origin isolated); ordinary arrays elsewhere.
 */
const Buffer: typeof SharedArrayBuffer | typeof ArrayBuffer =
  typeof SharedArrayBuffer === 'undefined' ? ArrayBuffer : SharedArrayBuffer

export const uint32Array = (length: number): Uint32Array => new Uint32Array(new Buffer(4 * length))
export const float32Array = (length: number): Float32Array => new Float32Array(new Buffer(4 * length))

/** So much more may stay behind an array, unused, before copying it is worth while. */
const SLACK = 1.1

/** The first `length` elements: of the same memory if little of it is left over, else in an array of their own. */
export function trim<A extends Uint32Array | Float32Array>(array: A, length: number): A {
  if (array.length <= SLACK * length) return array.subarray(0, length) as A
  const trimmed = array instanceof Uint32Array ? uint32Array(length) : float32Array(length)
  trimmed.set(array.subarray(0, length))
  return trimmed as A
}

/** A copy with room for more. */
export function grow<A extends Uint32Array | Float32Array>(array: A, capacity: number): A {
  const grown = array instanceof Uint32Array ? uint32Array(capacity) : float32Array(capacity)
  grown.set(array)
  return grown as A
}
