/** Yields to the event loop, so that a long computation can be aborted. */
export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))
