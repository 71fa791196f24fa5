// Threads share a counter of tasks and meet at a barrier. Who does what is left to chance; the result is not,
// since rows are cut by the data alone and the sums over their segments are added in a fixed order.
import {
  CONTROL_ARRIVED, CONTROL_GENERATION, CONTROL_LOOKS, CONTROL_NEXT_TASK, CONTROL_SLEEPERS, CONTROL_THREADS,
} from "./layout";

/** The next task of this step; one past the last when all are taken. */
@inline
export function takeTask(control: usize): u32 {
  return atomic.add<u32>(control + CONTROL_NEXT_TASK, 1);
}

/**
 * How many of the chunks that are left make the next piece. With 16 threads and a small sample a chunk takes less than a
 * microsecond: taking each from a counter that all wait for would be most of the work. So pieces are half of a thread's share of
 * what is left: large at first, and single chunks at the end, when it matters that all threads end together.
 */
@inline
export function pieceOf(left: u32, threads: u32): u32 {
  return max<u32>(1, left / (2 * threads));
}

/**
 * Waits until every thread is here; the last to arrive puts the task counter back. A barrier opens within microseconds when the
 * work was cut evenly: looking is cheaper than sleeping and being woken. With more threads than cores the one we wait for may
 * need our core, so we soon sleep: CONTROL_LOOKS says how soon.
 */
export function barrier(control: usize): void {
  const threads = load<u32>(control, CONTROL_THREADS);
  const generation = atomic.load<u32>(control + CONTROL_GENERATION);
  if (atomic.add<u32>(control + CONTROL_ARRIVED, 1) + 1 == threads) {
    atomic.store<u32>(control + CONTROL_ARRIVED, 0);
    atomic.store<u32>(control + CONTROL_NEXT_TASK, 0);
    atomic.store<u32>(control + CONTROL_GENERATION, generation + 1);
    // Who counts as asleep only now sees the new generation, and does not sleep.
    if (atomic.load<u32>(control + CONTROL_SLEEPERS) > 0) atomic.notify(control + CONTROL_GENERATION, -1);
    return;
  }
  const looks = load<u32>(control, CONTROL_LOOKS);
  for (let look: u32 = 0; look < looks; look++) {
    if (atomic.load<u32>(control + CONTROL_GENERATION) != generation) return;
  }
  atomic.add<u32>(control + CONTROL_SLEEPERS, 1);
  while (atomic.load<u32>(control + CONTROL_GENERATION) == generation) {
    atomic.wait<u32>(control + CONTROL_GENERATION, generation, -1);
  }
  atomic.sub<u32>(control + CONTROL_SLEEPERS, 1);
}
