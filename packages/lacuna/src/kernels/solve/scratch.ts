// Each thread's own corner of the shared memory: the block being gathered, the sums of the row at hand, and
// the power method's vectors.
import { Window } from "./entries/gather";
import { BLOCK, MATRIX, ROW } from "./rank";
import { LongSample } from "./entries/sample";

let scratch: usize = 0;
let posterior: usize = 0;

/** Says where this thread's scratch lies: scratchBytes(N) from there on, aligned to 64. */
export function setScratch(address: usize): void {
  scratch = address;
}

/** Where a prior is learned, five matrices (R × R) more: POSTERIOR_BYTES. */
export function setPosteriorScratch(address: usize): void {
  posterior = address;
}

export const POSTERIOR_BYTES: usize = 5 * MATRIX;
/** (R × R) */
@inline export function systemScratch(): usize { return posterior; }
/** (R × R) in float64 */
@inline export function choleskyScratch(): usize { return posterior + MATRIX; }
/** (R × R) in float64 */
@inline export function inverseScratch(): usize { return posterior + 3 * MATRIX; }

const K_BYTES: usize = <usize>BLOCK * ROW;
const D_BYTES: usize = <usize>BLOCK * 4;
/** H (R × R), then g (R), then two float64. */
export const SUM_BYTES: usize = MATRIX + ROW + 16;

/** For tensors of this order. */
export function scratchBytes(order: u32): usize {
  return 64 + K_BYTES + 2 * D_BYTES + SUM_BYTES + 3 * ROW + <usize>(2 * order) * D_BYTES;
}

@inline export function windowScratch(): Window { return changetype<Window>(scratch); }
@inline export function longSampleScratch(): LongSample { return changetype<LongSample>(scratch + 16); }
/** K (BLOCK × R) */
@inline export function blockScratch(): usize { return scratch + 64; }
/** d (BLOCK) */
@inline export function residualScratch(): usize { return scratch + 64 + K_BYTES; }
/** Kv (BLOCK) */
@inline export function productScratch(): usize { return scratch + 64 + K_BYTES + D_BYTES; }
/** The sums over a sample, laid out as the partial sums of a split row are (step.ts). */
@inline export function sumScratch(): usize { return scratch + 64 + K_BYTES + 2 * D_BYTES; }
/** Two vectors (R) */
@inline export function vectorScratch(): usize { return scratch + 64 + K_BYTES + 2 * D_BYTES + SUM_BYTES; }
/** A third one: zeros, for who wrote them. */
@inline export function zeroScratch(): usize { return vectorScratch() + 2 * ROW; }
/** What is unpacked of records (unpack.ts): words (BLOCK), values (BLOCK) and, of every other mode, addresses and indices (BLOCK). */
@inline export function wordScratch(): usize { return zeroScratch() + ROW; }
@inline export function valueScratch(): usize { return wordScratch() + D_BYTES; }
@inline export function addressScratch(other: u32): usize { return wordScratch() + <usize>(2 * other + 2) * D_BYTES; }
@inline export function indexScratch(other: u32): usize { return addressScratch(other) + D_BYTES; }
