// Copies entries into the cells of the grid of stratified SGD (strata.ts), by runs of consecutive records of one
// row of the first mode's view: first they are counted by cell, then copied.
import { fieldBase, maskOf, shiftOf, strideOf, valueOffset, wordOffset } from "../entries/records";
import { STRATA_BLOCKS, STRATA_FACTORS, STRATA_ORDER, STRATA_RECORDS } from "../layout";

@inline
/** The number of the block of a row of a mode: (P) in the second table of the grid's description. */
function blockOf(strata: usize, order: u32, mode: u32, row: u32): u32 {
  return load<u32>(load<usize>(strata + (<usize>(order + mode) << 2), STRATA_FACTORS) + (<usize>row << 2));
}

@inline
/** The position of a row of a mode in the order of the blocks: (P) in the third table. */
function positionOf(strata: usize, order: u32, mode: u32, row: u32): u32 {
  return load<u32>(load<usize>(strata + (<usize>(2 * order + mode) << 2), STRATA_FACTORS) + (<usize>row << 2));
}

@inline
/** The index of a record in a mode other than the first. */
function indexOf(view: usize, record: usize, mode: u32): u32 {
  const field = fieldBase(view, mode - 1);
  return (load<u32>(record + wordOffset(field)) >> shiftOf(view, field)) & maskOf(view, field);
}

@inline
/** The number of the cell of a record of `row`. */
function cellOf(strata: usize, view: usize, order: u32, record: usize, row: u32): u32 {
  const blocks = load<u32>(strata, STRATA_BLOCKS);
  const first = blockOf(strata, order, 0, row);
  let cell = first;
  for (let mode: u32 = 1; mode < order; mode++)
    cell = cell * blocks + ((blockOf(strata, order, mode, indexOf(view, record, mode)) - first) & (blocks - 1));
  return cell;
}

/**
 * Counts the entries of a run by cell.
 * @param strata the address of the grid's description
 * @param view the description of the first mode's view, for the format of records
 * @param begin the address of the run's first record
 * @param row the row of the first mode that has these entries
 * @param counters (cells) this thread's counters
 */
export function countRun(strata: usize, view: usize, begin: usize, count: u32, row: u32, counters: usize): void {
  const order = load<u32>(strata, STRATA_ORDER);
  const stride = strideOf(view);
  for (let e: u32 = 0, record = begin; e < count; e++, record += stride) {
    const counter = counters + (<usize>cellOf(strata, view, order, record, row) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
}

/**
 * Copies the entries of a run to their cells; the parameters are those of countRun.
 * @param counters (cells) the number of this thread's next record in each cell, which advances
 */
export function copyRun(strata: usize, view: usize, begin: usize, count: u32, row: u32, counters: usize): void {
  const order = load<u32>(strata, STRATA_ORDER);
  const stride = strideOf(view);
  const value = valueOffset(view);
  const position = positionOf(strata, order, 0, row);
  for (let e: u32 = 0, record = begin; e < count; e++, record += stride) {
    const counter = counters + (<usize>cellOf(strata, view, order, record, row) << 2);
    const number = load<u32>(counter);
    store<u32>(counter, number + 1);
    const to = load<usize>(strata, STRATA_RECORDS) + <usize>number * (<usize>(order + 1) << 2);
    store<u32>(to, position);
    for (let mode: u32 = 1; mode < order; mode++)
      store<u32>(to + (<usize>mode << 2), positionOf(strata, order, mode, indexOf(view, record, mode)));
    store<u32>(to + (<usize>order << 2), load<u32>(record + value));
  }
}
