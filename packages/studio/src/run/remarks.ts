/** Remarks of the engines in the workers, such as that the GPU was lost and the CPU continues. */

/** The name of the event by which a worker sends a remark to the page. */
export const REMARK_EVENT = 'remark'

const listeners = new Set<(remark: string) => void>()

/** In the page: calls `listen` with every remark of any worker. @returns a function that stops that */
export function onRemark(listen: (remark: string) => void): () => void {
  listeners.add(listen)
  return () => void listeners.delete(listen)
}

/** In the page: passes a remark that a worker has sent to the listeners. */
export function announceRemark(remark: string): void {
  for (const listen of listeners) listen(remark)
}
