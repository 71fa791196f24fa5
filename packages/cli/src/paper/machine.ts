/** The machine of a measurement. */
import { availableParallelism, cpus, platform, totalmem } from 'node:os'
import type { Machine } from 'lacuna-figures/results'

/** Describes this machine for the report: processor, cores, memory, platform and version of Node. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    platform: platform(),
    node: process.version,
  }
}
