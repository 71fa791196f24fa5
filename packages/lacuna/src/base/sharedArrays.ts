/**
 * Arrays that worker threads can read without a copy, where the platform allows it (Node, and pages that
 * are cross-origin isolated); ordinary arrays elsewhere.
 */
const Buffer: typeof SharedArrayBuffer | typeof ArrayBuffer =
  typeof SharedArrayBuffer === 'undefined' ? ArrayBuffer : SharedArrayBuffer

/** Allocates zeros in memory that threads can share. */
export const uint32Array = (length: number): Uint32Array => new Uint32Array(new Buffer(4 * length))
/** Allocates zeros in memory that threads can share. */
export const float32Array = (length: number): Float32Array => new Float32Array(new Buffer(4 * length))

/** Unused memory behind an array, relative to its length, from which on `trim` copies. */
const SLACK = 1.1

/** Returns the first `length` elements: in the same memory if little of it is unused, else in a copy. */
export function trim<A extends Uint32Array | Float32Array>(array: A, length: number): A {
  if (array.length <= SLACK * length) return array.subarray(0, length) as A
  const trimmed = array instanceof Uint32Array ? uint32Array(length) : float32Array(length)
  trimmed.set(array.subarray(0, length))
  return trimmed as A
}

/** Returns a copy with a larger capacity. @param capacity the number of elements of the copy */
export function grow<A extends Uint32Array | Float32Array>(array: A, capacity: number): A {
  const copy = array instanceof Uint32Array ? uint32Array(capacity) : float32Array(capacity)
  copy.set(array)
  return copy as A
}
