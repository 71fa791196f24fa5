/** Progress of the experiments. */

/** Callback with a description of the current step. */
export type Progress = (what: string) => void
