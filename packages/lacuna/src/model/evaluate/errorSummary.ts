/** How far a model y is from observed values x. Every number is finite, so the summary survives JSON. */
export interface ErrorSummary {
  /**
   * ‖x − y‖ / ‖x‖ over the entries. Where all x are zero there is nothing to be relative to: 0 if the model is
   * zero there as well, otherwise 1 (entirely wrong).
   */
  relative: number
  rmse: number
  mae: number
  /** How many entries were compared; with none, the errors are 0. */
  entries: number
}

/** The summary from sums over the entries: ‖x − y‖², Σ |x − y| and ‖x‖². */
export function summarizeError(sums: {
  squares: number
  absolutes: number
  norm2: number
  entries: number
}): ErrorSummary {
  const { squares, absolutes, norm2, entries } = sums
  if (entries === 0) return { relative: 0, rmse: 0, mae: 0, entries }
  const relative = norm2 > 0 ? Math.sqrt(squares / norm2) : squares > 0 ? 1 : 0
  return { relative, rmse: Math.sqrt(squares / entries), mae: absolutes / entries, entries }
}
