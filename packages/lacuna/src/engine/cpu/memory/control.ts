import { CONTROL_SPINS, CONTROL_THREADS } from '../../../kernels/solve/layout.ts'
import { hardwareThreads } from '../threads/platform.ts'

/**
 * How often a thread spins whether a barrier has opened before it sleeps: for about as long as it takes to be woken, some fifty
 * microseconds. Where threads are more than cores, the one that is waited for may need the core that spins.
 */
const SPINS = 40_000
const FEW_SPINS = 1000

/** Says in a memory how many threads meet at the barrier there. */
export function writeControl({ buffer }: WebAssembly.Memory, control: number, threads: number): void {
  const words = new Uint32Array(buffer, control, 64)
  words[CONTROL_THREADS / 4] = threads
  words[CONTROL_SPINS / 4] = threads <= hardwareThreads() ? SPINS : FEW_SPINS
}
