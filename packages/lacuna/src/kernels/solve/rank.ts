// Sizes that follow from the rank this module is compiled for (--use RANK=n, a multiple of 4).

/** R, the padded rank: components of a factor's row. */
export const R: usize = <usize>RANK;
/** Bytes of a factor's row, of g, of any vector of R numbers. */
export const ROW: usize = R * 4;
/** Bytes of H (R × R). */
export const MATRIX: usize = R * ROW;
/** Entries gathered at a time: a block of K stays within 16 KiB, half of a first-level cache. */
export const BLOCK: u32 = RANK <= 64 ? 64 : RANK <= 128 ? 32 : 16;
