import { availableParallelism, cpus, platform, totalmem } from 'node:os'
import type { Machine } from 'lacuna-figures/results'

/** What the seconds were measured on. */
export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    platform: platform(),
    node: process.version,
  }
}
