// Weighted entries: an entry of weight w counts as if it were listed w times.
import { Window } from "./window";
import { ROW } from "../rank";
import { entryWeight, nextRecord, strideOf } from "./records";

/**
 * Multiplies K (BLOCK × R), D (BLOCK) and, unless its address is 0, S (BLOCK) of `count` gathered entries in
 * place by √w, w the weight of the entry: sums over products of two of them are then weighted by w.
 * @param record the address of the first entry's record, in the window
 */
export function weighBlock(view: usize, record: usize, window: Window, count: u32, K: usize, D: usize, S: usize): void {
  const stride = strideOf(view);
  for (let e: u32 = 0; e < count; e++) {
    const at = <usize>e << 2;
    const root = Mathf.sqrt(entryWeight(view, record));
    multiplyRow(K + <usize>e * ROW, root);
    store<f32>(D + at, root * load<f32>(D + at));
    if (S) store<f32>(S + at, root * load<f32>(S + at));
    record = nextRecord(record, stride, window.begin, window.end);
  }
}

/** Multiplies each of the first `count` rows of K (BLOCK × R) in place by √w, with the weights W (BLOCK). */
export function multiplyByRoots(K: usize, W: usize, count: u32): void {
  for (let e: u32 = 0; e < count; e++) multiplyRow(K + <usize>e * ROW, Mathf.sqrt(load<f32>(W + (<usize>e << 2))));
}

@inline
/** Multiplies a row (R) in place by a number. */
function multiplyRow(row: usize, by: f32): void {
  const all = f32x4.splat(by);
  for (let at: usize = 0; at < ROW; at += 16) v128.store(row + at, f32x4.mul(all, v128.load(row + at)));
}
