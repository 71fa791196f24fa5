/**
 * The engine of a worker: one for all of its problems. The page sets it before the first call. It is module
 * state because a worker has exactly one engine.
 */
import { type CpuEngine, cpuEngine, type GpuEngine, gpuEngine } from 'lacuna/internal'
import { REMARK_EVENT } from './remarks.ts'

/** The engines that a page can choose between. */
export type EngineName = 'cpu' | 'gpu'

let chosenEngine: EngineName = 'cpu'
let engine: Promise<CpuEngine | GpuEngine> | undefined

/** Chooses the engine; to be called before `openEngine`. */
export function setEngine(name: EngineName): void {
  chosenEngine = name
}

/** Opens the engine at the first call, and returns the same one later. Rejects if there is no GPU. */
export function openEngine(): Promise<CpuEngine | GpuEngine> {
  engine ??= chosenEngine === 'gpu' ? gpuEngine({ onRemark: sendRemark }) : Promise.resolve(cpuEngine())
  return engine
}

/** Sends a remark of the engine to the page (run/remote.ts passes it on). */
function sendRemark(remark: string): void {
  self.postMessage({ kind: 'event', name: REMARK_EVENT, value: remark })
}
