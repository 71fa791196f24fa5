// Synchronization of threads: a shared counter of tasks, and a barrier. Which thread runs a task varies; the
// result does not, since tasks depend on the data alone and partial sums are added in a fixed order.
import {
  CONTROL_ARRIVED, CONTROL_GENERATION, CONTROL_NAP, CONTROL_NEXT_TASK, CONTROL_SLEEPERS, CONTROL_SPINS, CONTROL_THREADS,
} from "./layout";

@inline
/** Takes the next task and returns its number, which is beyond the last when all are taken. */
export function takeTask(control: usize): u32 {
  return atomic.add<u32>(control + CONTROL_NEXT_TASK, 1);
}

@inline
/**
 * The number of chunks in the next batch, if `left` chunks remain. With 16 threads and a small sample a chunk
 * takes less than a microsecond: taking each from a shared counter would be most of the work. So a batch is
 * half of an equal fraction, per thread, of the remaining chunks: large at first, and single chunks at the
 * end, so that all threads finish together.
 */
export function batchSize(left: u32, threads: u32): u32 {
  return max<u32>(1, left / (2 * threads));
}

/**
 * Barrier: waits until every thread has arrived; the last one resets the task counter. When the work is
 * divided evenly a barrier opens within microseconds, and spinning is cheaper than sleeping and being woken.
 * With more threads than cores the awaited thread may need this core, so a thread sleeps after CONTROL_SPINS
 * spins. A notification does not reach the threads of other processes: they wake up every CONTROL_NAP.
 */
export function barrier(control: usize): void {
  const threads = load<u32>(control, CONTROL_THREADS);
  const generation = atomic.load<u32>(control + CONTROL_GENERATION);
  if (atomic.add<u32>(control + CONTROL_ARRIVED, 1) + 1 == threads) {
    atomic.store<u32>(control + CONTROL_ARRIVED, 0);
    atomic.store<u32>(control + CONTROL_NEXT_TASK, 0);
    atomic.store<u32>(control + CONTROL_GENERATION, generation + 1);
    // A thread that registers as a sleeper after this sees the new generation, and does not sleep.
    if (atomic.load<u32>(control + CONTROL_SLEEPERS) > 0) atomic.notify(control + CONTROL_GENERATION, -1);
    return;
  }
  const spins = load<u32>(control, CONTROL_SPINS);
  for (let spin: u32 = 0; spin < spins; spin++) {
    if (atomic.load<u32>(control + CONTROL_GENERATION) != generation) return;
  }
  atomic.add<u32>(control + CONTROL_SLEEPERS, 1);
  const nap = <i64>load<i32>(control, CONTROL_NAP);
  while (atomic.load<u32>(control + CONTROL_GENERATION) == generation) {
    atomic.wait<u32>(control + CONTROL_GENERATION, generation, nap);
  }
  atomic.sub<u32>(control + CONTROL_SLEEPERS, 1);
}
