// Scratch memory of a thread: the block being gathered, the sums of the current row, and vectors of the power
// method.
import { LongSample, Window } from "./entries/window";
import { GROUPS } from "./layout";
import { BLOCK, MATRIX, ROW } from "./rank";

/** The address of this thread's scratch. */
let scratch: usize = 0;
/** The address of this thread's scratch for a learned prior. */
let posterior: usize = 0;

/** Bytes of the sums over a sample, set by setScratch. */
let bytesOfSums: usize = 0;

/**
 * Sets the address of this thread's scratch: scratchBytes(N) bytes, aligned to 64.
 * @param groupedModes the number of other modes whose groups of rows are counted (groups.ts)
 */
export function setScratch(address: usize, groupedModes: u32): void {
  scratch = address;
  bytesOfSums = sumBytesFor(groupedModes);
}

/** Sets the address of the scratch for a learned prior: POSTERIOR_BYTES, five matrices (R × R). */
export function setPosteriorScratch(address: usize): void {
  posterior = address;
}

/** Bytes of the scratch for a learned prior. */
export const POSTERIOR_BYTES: usize = 5 * MATRIX;
/** The address of the matrix of a row's linear system (R × R). */
@inline export function systemScratch(): usize { return posterior; }
/** The address of the system's Cholesky factor (R × R, float64). */
@inline export function choleskyScratch(): usize { return posterior + MATRIX; }
/** The address of the inverse of the Cholesky factor (R × R, float64). */
@inline export function inverseScratch(): usize { return posterior + 3 * MATRIX; }

/** Bytes of K (BLOCK × R), and of one number per entry of a block. */
const K_BYTES: usize = <usize>BLOCK * ROW;
const D_BYTES: usize = <usize>BLOCK * 4;
/** Offset of the weights by group in the sums over a sample: after H (R × R), g (R) and two float64. */
export const GROUP_SUMS: usize = MATRIX + ROW + 16;
/** Bytes of the sums over a sample with the weights by group (GROUPS) of `groupedModes` other modes. */
export function sumBytesFor(groupedModes: u32): usize {
  return GROUP_SUMS + <usize>groupedModes * (4 * GROUPS);
}
/** Bytes of the sums over a sample. */
@inline export function sumBytes(): usize { return bytesOfSums; }

/** Bytes of a thread's scratch for tensors of this order, without that for a learned prior. */
export function scratchBytes(order: u32): usize {
  return 64 + K_BYTES + 2 * D_BYTES + sumBytesFor(order - 1) + 3 * ROW + <usize>(2 * order) * D_BYTES;
}

/** The thread's window, for the segment in progress. */
@inline export function windowScratch(): Window { return changetype<Window>(scratch); }
/** The thread's sample of a long row. */
@inline export function longSampleScratch(): LongSample { return changetype<LongSample>(scratch + 16); }
/** The address of K (BLOCK × R), the gathered Khatri-Rao rows. */
@inline export function blockScratch(): usize { return scratch + 64; }
/** The address of the residuals d (BLOCK) of the gathered entries. */
@inline export function residualScratch(): usize { return scratch + 64 + K_BYTES; }
/** The address of the products Kv (BLOCK) of the gathered rows. */
@inline export function productScratch(): usize { return scratch + 64 + K_BYTES + D_BYTES; }
/** The address of the sums over a sample, sumBytes() laid out as in step.ts. */
@inline export function sumScratch(): usize { return scratch + 64 + K_BYTES + 2 * D_BYTES; }
/** The address of two vectors (R), one after the other. */
@inline export function vectorScratch(): usize { return scratch + 64 + K_BYTES + 2 * D_BYTES + bytesOfSums; }
/** The address of a third vector (R), for zeros, which the caller writes. */
@inline export function zeroScratch(): usize { return vectorScratch() + 2 * ROW; }
/** The address of one word of each record of a block (BLOCK), while it is unpacked (unpack.ts). */
@inline export function wordScratch(): usize { return zeroScratch() + ROW; }
/** The address of the values of the unpacked records (BLOCK). */
@inline export function valueScratch(): usize { return wordScratch() + D_BYTES; }
/** The address of the addresses of rows in the other-th of the other factors, per unpacked record (BLOCK). */
@inline export function addressScratch(other: u32): usize { return wordScratch() + <usize>(2 * other + 2) * D_BYTES; }
/** The address of the indices in the other-th of the other modes, per unpacked record (BLOCK). */
@inline export function indexScratch(other: u32): usize { return addressScratch(other) + D_BYTES; }
