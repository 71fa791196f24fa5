/** Options of the GPU engine. */
import type { CpuEngineOptions } from '../cpu/index.ts'

/** Options of the GPU engine: those of the threads beside it, and a callback for notices. */
export interface GpuEngineOptions extends CpuEngineOptions {
  /** Called with a sentence when a device is lost, or the CPU takes over; none by default. */
  onRemark?: (sentence: string) => void
}
