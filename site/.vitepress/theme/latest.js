/**
 * Returns a function that starts work. Called while the work runs, it starts the work once more at the end, so that the last
 * run begins after the last call.
 * @param {() => Promise<void>} work
 */
export function runLatest(work) {
  let isRunning = false
  let isDue = false
  return async () => {
    isDue = true
    if (isRunning) return
    isRunning = true
    try {
      while (isDue) {
        isDue = false
        await work()
      }
    } finally {
      isRunning = false
    }
  }
}
