import type { ModeView } from '../../tensor/modeView.ts'
import type { ViewPlan } from './memoryPlan.ts'

/** A mode view as arrays over the shared memory. */
export function viewArrays(memory: WebAssembly.Memory, view: ViewPlan, order: number): ModeView {
  return {
    rowStart: new Uint32Array(memory.buffer, view.rowStart, view.rows + 1),
    records: new Uint32Array(memory.buffer, view.records, view.entries * order),
  }
}
