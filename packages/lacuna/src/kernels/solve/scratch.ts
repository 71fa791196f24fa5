// Scratch memory of a thread: the block being gathered, the sums of the current row, and vectors of the power
// method.
import { LongSample, Window } from "./entries/window";
import { BLOCK, MATRIX, ROW } from "./rank";

let scratch: usize = 0;
let posterior: usize = 0;

/** Sets the address of this thread's scratch: scratchBytes(N) bytes, aligned to 64. */
export function setScratch(address: usize): void {
  scratch = address;
}

/** Sets the address of the scratch for a learned prior: POSTERIOR_BYTES, five matrices (R × R). */
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
/** Bytes of the sums over a sample: H (R × R), then g (R), then two float64. */
export const SUM_BYTES: usize = MATRIX + ROW + 16;

/** Bytes of scratch for tensors of this order. */
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
/** A third vector (R), for zeros; the caller writes them. */
@inline export function zeroScratch(): usize { return vectorScratch() + 2 * ROW; }
/**
 * Unpacked records (unpack.ts): words (BLOCK), values (BLOCK), and per other mode addresses and indices
 * (BLOCK).
 */
@inline export function wordScratch(): usize { return zeroScratch() + ROW; }
@inline export function valueScratch(): usize { return wordScratch() + D_BYTES; }
@inline export function addressScratch(other: u32): usize { return wordScratch() + <usize>(2 * other + 2) * D_BYTES; }
@inline export function indexScratch(other: u32): usize { return addressScratch(other) + D_BYTES; }
