import type { CpuEngineOptions } from '../cpu/index.ts'

/** Of the threads beside the card, and who hears of it. */
export interface GpuEngineOptions extends CpuEngineOptions {
  /** Hears what happens on the way: that a device was lost, and where the run goes on; none by default. */
  onRemark?: (sentence: string) => void
}
