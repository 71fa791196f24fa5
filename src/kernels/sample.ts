// Which entries of a row a step uses: a window of the row's shuffled entries that starts anywhere and wraps around,
// so that memory is read in order and every entry is as likely as any other.
import { Window } from "./gather";
import { MODE_ORDER, MODE_RECORDS, MODE_ROW_START, STEP_PAPER } from "./layout";
import { below, draw } from "./random";
import { c, kind } from "./settings";

/** Separates the draws that round from those that place the window. */
const ROUNDING: u32 = 0x51ed270b;

@inline
export function entriesOf(mode: usize, p: u32): u32 {
  const at = load<usize>(mode, MODE_ROW_START) + (<usize>p << 2);
  return load<u32>(at, 4) - load<u32>(at);
}

/** ⌊c · nnz⌋, as tasks are cut. */
@inline
export function plannedSize(mode: usize, p: u32): u32 {
  return <u32>Math.floor(c * <f64>entriesOf(mode, p));
}

/**
 * B. The paper takes ⌊c · nnz⌋, so that rows with fewer than 1/c entries never learn. The other steps round up or down
 * at random, with the mean c · nnz.
 */
export function sampleSize(mode: usize, p: u32, key: u32): u32 {
  if (kind == STEP_PAPER) return plannedSize(mode, p);
  const nnz = entriesOf(mode, p);
  const u = <f64>draw(key + ROUNDING, p) * (1.0 / 4294967296.0);
  return min(nnz, <u32>Math.floor(c * <f64>nnz + u));
}

/** Opens a window on the sample of row p at its position `from`. */
export function openWindow(window: Window, mode: usize, p: u32, key: u32, sampled: u32, from: u32): void {
  const nnz = entriesOf(mode, p);
  const stride = <usize>load<u32>(mode, MODE_ORDER) << 2;
  const row = load<u32>(load<usize>(mode, MODE_ROW_START) + (<usize>p << 2));
  const start = sampled < nnz ? below(draw(key, p), nnz) : 0;
  window.begin = load<usize>(mode, MODE_RECORDS) + <usize>row * stride;
  window.end = window.begin + <usize>nnz * stride;
  window.at = window.begin + <usize>(<u32>((<u64>start + <u64>from) % <u64>nnz)) * stride;
}
