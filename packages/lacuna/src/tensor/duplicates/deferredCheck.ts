/**
 * Deferred duplicate checks. Looking for duplicates takes a hash table of all entries; an engine that sorts
 * the entries finds them at no cost. A reader may therefore leave its check in the tensor
 * (`SparseTensor.deferredDuplicateCheck`): the engine runs it if it finds duplicates, and so does every
 * function that picks entries, before it does.
 */
import type { SparseTensor } from '../sparseTensor.ts'

/**
 * Returns the tensor with a duplicate check that is still to be made.
 * @param check throws if entries have equal coordinates, in the words of the reader; it runs once at most if
 * it finds none
 */
export function deferDuplicateCheck(tensor: SparseTensor, check: () => void | Promise<void>): SparseTensor {
  let isDone = false
  return {
    ...tensor,
    deferredDuplicateCheck() {
      const checked = isDone ? undefined : check()
      isDone = true
      return checked
    },
  }
}

/** Makes the duplicate check of a tensor, if it was deferred. @returns the tensor without the check */
export function checkDeferred({ deferredDuplicateCheck, ...tensor }: SparseTensor): SparseTensor {
  deferredDuplicateCheck?.()
  return tensor
}
