/** Where the problems of a worker are solved: all of them by the same engine, which the page chooses before it asks. */
import { type CpuEngine, cpuEngine, type GpuEngine, gpuEngine } from 'lacuna/internal'

export type EngineName = 'cpu' | 'gpu'

let chosen: EngineName = 'cpu'
let opened: Promise<CpuEngine | GpuEngine> | undefined

export function solveOn(name: EngineName): void {
  chosen = name
}

/** Opened when it is first needed; where there is no card, the page hears why. */
export function openedEngine(): Promise<CpuEngine | GpuEngine> {
  opened ??= chosen === 'gpu' ? gpuEngine() : Promise.resolve(cpuEngine())
  return opened
}
