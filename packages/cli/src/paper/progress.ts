/** Progress of the experiments. */

/** Callback that prints a description of the current step. */
export type Progress = (step: string) => void
