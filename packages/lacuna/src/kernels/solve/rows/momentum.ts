// Momentum carried from one AO iteration to the next. With MAX_INNER = 1 the paper's y is discarded when
// S_NMC returns, and nothing is accelerated; here each row's value before its last update is stored (the
// momentum factor).
import { VIEW_MOMENTUM_FACTOR, VIEW_FACTOR } from "../layout";
import { ROW } from "../rank";
import { vectorScratch } from "../scratch";
import { momentum } from "../settings";

/**
 * Writes y = (a + β (a − a_before))₊, row p extrapolated in the direction of its last update, to the first
 * vector of vectorScratch; returns its address.
 */
export function extrapolate(view: usize, p: u32): usize {
  const a = load<usize>(view, VIEW_FACTOR) + <usize>p * ROW;
  const before = load<usize>(view, VIEW_MOMENTUM_FACTOR) + <usize>p * ROW;
  const y = vectorScratch();
  const beta = f32x4.splat(momentum);
  for (let at: usize = 0; at < ROW; at += 16) {
    const now = v128.load(a + at);
    const ahead = f32x4.add(now, f32x4.mul(beta, f32x4.sub(now, v128.load(before + at))));
    v128.store(y + at, f32x4.max(ahead, f32x4.splat(0)));
  }
  return y;
}
