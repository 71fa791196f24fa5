/** Error measures of predictions. */

/** Errors of predictions y of observed values x. Every number is finite, so that JSON can hold it. */
export interface ErrorSummary {
  /**
   * ‖x − y‖ / ‖x‖ over the entries. If all x are zero: 0 where all y are zero, else 1.
   */
  relative: number
  /** Root mean square error, in the units of the values. */
  rmse: number
  /** Mean absolute error, in the units of the values. */
  mae: number
  /** Number of entries compared; with none, the errors are 0. */
  entries: number
}

/**
 * Makes the summary from sums over the entries.
 * @param sums squares: ‖x − y‖², absolutes: Σ |x − y|, norm2: ‖x‖²
 */
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
