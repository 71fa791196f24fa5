/** The machine of a measurement. */
import { availableParallelism, cpus, platform, totalmem } from 'node:os'
import type { Machine } from 'lacuna-figures/results'

/** Describes this machine for the report. */
export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    platform: platform(),
    node: process.version,
  }
}
