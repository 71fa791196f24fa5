/** Ctrl-C once asks the work to end, twice ends the process. */
export async function withCtrlC<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  const interrupt = (): void => {
    if (abort.signal.aborted) process.exit(130)
    abort.abort()
  }
  process.on('SIGINT', interrupt)
  try {
    return await work(abort.signal)
  } finally {
    process.off('SIGINT', interrupt)
  }
}
