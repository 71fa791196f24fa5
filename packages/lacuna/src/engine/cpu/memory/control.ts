/** The control block of a memory, at which its threads synchronize. */
import { CONTROL_NAP, CONTROL_SPINS, CONTROL_THREADS } from '../../../kernels/solve/layout.ts'
import { hardwareThreads, machineThreads } from '../threads/platform.ts'

/**
 * The number of times that a thread checks a barrier before it sleeps: for about as long as a wake-up takes,
 * some fifty microseconds. With more threads than cores, the awaited thread may need the core that spins
 * (FEW_SPINS).
 */
const SPINS = 40_000
/** Checks of a barrier before a thread sleeps where there are more threads than cores. */
const FEW_SPINS = 1000
/** Nanoseconds of a sleep at a barrier between processes, which cannot wake each other. */
const NAP = 50_000

/**
 * Writes the number of threads that synchronize at the barrier of a memory, and how long they spin there.
 * @param control the address of the control block
 * @param isShared whether they are threads of several processes
 */
export function writeControl(
  { buffer }: WebAssembly.Memory,
  control: number,
  { threads, isShared }: { threads: number; isShared: boolean },
): void {
  const words = new Uint32Array(buffer, control, 64)
  words[CONTROL_THREADS / 4] = threads
  // A process may be bound to some of the cores: threads of several processes have those of the machine.
  const cores = isShared ? machineThreads() : hardwareThreads()
  words[CONTROL_SPINS / 4] = threads <= cores ? SPINS : FEW_SPINS
  words[CONTROL_NAP / 4] = isShared ? NAP : -1
}
