/** Told what is going on, for someone who waits. */
export type Progress = (what: string) => void
