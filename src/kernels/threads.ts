// Threads share a counter of tasks and meet at a barrier. Who does what is left to chance; the result is not,
// since rows are cut by the data alone and the sums over their segments are added in a fixed order.
import { CONTROL_ARRIVED, CONTROL_GENERATION, CONTROL_NEXT_TASK, CONTROL_THREADS } from "./layout";

/** The next task of this step; one past the last when all are taken. */
@inline
export function takeTask(control: usize): u32 {
  return atomic.add<u32>(control + CONTROL_NEXT_TASK, 1);
}

// A barrier opens within microseconds when the work was cut evenly: looking is cheaper than sleeping. With more
// threads than cores the one we wait for may need our core, so we soon sleep.
const LOOKS: i32 = 4000;

/** Waits until every thread is here; the last to arrive puts the task counter back. */
export function barrier(control: usize): void {
  const threads = load<u32>(control, CONTROL_THREADS);
  const generation = atomic.load<u32>(control + CONTROL_GENERATION);
  if (atomic.add<u32>(control + CONTROL_ARRIVED, 1) + 1 == threads) {
    atomic.store<u32>(control + CONTROL_ARRIVED, 0);
    atomic.store<u32>(control + CONTROL_NEXT_TASK, 0);
    atomic.store<u32>(control + CONTROL_GENERATION, generation + 1);
    atomic.notify(control + CONTROL_GENERATION, -1);
    return;
  }
  for (let look = 0; look < LOOKS; look++) {
    if (atomic.load<u32>(control + CONTROL_GENERATION) != generation) return;
  }
  while (atomic.load<u32>(control + CONTROL_GENERATION) == generation) {
    atomic.wait<u32>(control + CONTROL_GENERATION, generation, -1);
  }
}
