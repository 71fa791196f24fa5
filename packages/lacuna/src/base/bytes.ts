/**
 * Bytes in an ArrayBuffer, as a Blob needs them: Uint8Array<ArrayBuffer>, a type that TypeScript before 5.7
 * does not have and that must not appear in the declarations.
 */
export type Bytes = ReturnType<Uint8ArrayConstructor['of']>

/**
 * Joins arrays of numbers, one after another.
 * @param Kind constructor of the typed array that is made
 */
export function concatenate<A extends { set(numbers: ArrayLike<number>, at: number): void }>(
  Kind: new (length: number) => A,
  arrays: readonly ArrayLike<number>[],
): A {
  const all = new Kind(arrays.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const array of arrays) {
    all.set(array, at)
    at += array.length
  }
  return all
}
