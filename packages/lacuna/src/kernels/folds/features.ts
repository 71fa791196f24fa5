// Features of entries from the residuals at neighbouring cells, and the sums of their regression; the host's
// model/ensemble/neighbours/residualField.ts has the same features of any cell.
import { addressAt, f32At, f64At, setF32, setF64, u32At } from "./memory";
import { slotOf } from "./numbers";

/** Shrinkage of means, as this many additional residuals of 0. */
const SHRINKAGE: f64 = 3;

// The field of residuals. Where cells are numbered by position (dense), sums by fiber are in float32.
let order: u32 = 0;
let isDense: bool = false;
let dims: usize = 0;
let strides: usize = 0;
let residuals: usize = 0;
let known: usize = 0;
let sums: usize = 0;
let counts: usize = 0;
let slots: usize = 0;
let mask: u32 = 0;
let keys: usize = 0;

/**
 * Sets the field: sizes of the modes (order, u32) and strides (order, u64); by number of the cell the residual
 * (float32) and 1 where there is one (u8); per mode the addresses of sums and counts by number of the fiber,
 * float32 where cells are dense, else float64; the hash table of the cells where they are not (numbers.ts).
 */
export function setField(
  modes: u32, dense: bool, dimsAt: usize, stridesAt: usize, residualsAt: usize, knownAt: usize, sumsAt: usize,
  countsAt: usize, slotsAt: usize, slotMask: u32, keysAt: usize,
): void {
  order = modes;
  isDense = dense;
  dims = dimsAt;
  strides = stridesAt;
  residuals = residualsAt;
  known = knownAt;
  sums = sumsAt;
  counts = countsAt;
  slots = slotsAt;
  mask = slotMask;
  keys = keysAt;
}

// The neighbours of a cell: cells at lags, and those of a window.
let lagCount: u32 = 0;
let lagModes: usize = 0;
let lags: usize = 0;
let windowCount: u32 = 0;
let offsets: usize = 0;
let steps: usize = 0;
let reach: usize = 0;

/**
 * Sets the neighbours: the mode and the distance of each lag (u32); of each cell of the window the difference
 * of positions (i64) and the steps along each mode (order, i32); and per mode the reach of the window (u32).
 */
export function setNeighbours(
  lagsCount: u32, lagModesAt: usize, lagsAt: usize, cells: u32, offsetsAt: usize, stepsAt: usize, reachAt: usize,
): void {
  lagCount = lagsCount;
  lagModes = lagModesAt;
  lags = lagsAt;
  windowCount = cells;
  offsets = offsetsAt;
  steps = stepsAt;
  reach = reachAt;
}

@inline
/** Element i of a table of sums or counts. */
function tableAt(table: usize, i: u32): f64 { return isDense ? f32At(table, i) : f64At(table, i); }

@inline
/** Adds to element i of a table of sums or counts. */
function addTo(table: usize, i: u32, x: f64): void {
  if (isDense) setF32(table, i, f32At(table, i) + x);
  else setF64(table, i, f64At(table, i) + x);
}

/**
 * Adds the residuals (float32) of `count` entries to a field that is all 0. cells: the numbers of their cells.
 * fibers: the addresses of the numbers of their fibers. folds (u8): entries of fold `without` are left out.
 */
export function setResiduals(
  count: u32, cells: usize, fibers: usize, ofEntries: usize, folds: usize, without: u32,
): void {
  for (let e: u32 = 0; e < count; e++) {
    if (<u32>load<u8>(folds + e) == without) continue;
    const cell = u32At(cells, e);
    setF32(residuals, cell, f32At(ofEntries, e));
    store<u8>(known + cell, 1);
  }
  for (let mode: u32 = 0; mode < order; mode++) {
    const ofMode = addressAt(fibers, mode);
    const sumsOfMode = addressAt(sums, mode);
    const countsOfMode = addressAt(counts, mode);
    for (let e: u32 = 0; e < count; e++) {
      if (<u32>load<u8>(folds + e) == without) continue;
      const fiber = u32At(ofMode, e);
      addTo(sumsOfMode, fiber, f32At(ofEntries, e));
      addTo(countsOfMode, fiber, 1);
    }
  }
}

@inline
/** The number of the cell at a position; -1 if it has none. */
function numberAt(position: u64): i32 {
  return isDense ? <i32>position : <i32>u32At(slots, slotOf(position, slots, mask, keys)) - 1;
}

@inline
/** 1 if a cell has a residual, else 0. */
function knownAt(number: i32): u32 { return <u32>load<u8>(known + <usize>number); }

/**
 * Computes the features of the entries of one fold among `from` … `to` − 1, writes them (entries × size,
 * float32), and adds to the sums of their regression XX (size × size, the lower triangle) and Xr (size).
 * positions (u64), cells, fibers: of all entries. least: 0 if residuals are absolute, else the least prediction
 * that they are relative to. row (size, float64): scratch.
 */
export function sumFeatures(
  from: u32, to: u32, folds: usize, fold: u32, columns: usize, positions: usize, cells: usize, fibers: usize,
  values: usize, predictions: usize, least: f64, size: u32, row: usize, features: usize, XX: usize, Xr: usize,
): void {
  for (let e = from; e < to; e++) {
    if (<u32>load<u8>(folds + e) != fold) continue;
    const position = load<u64>(positions + (<usize>e << 3));
    let f: u32 = 0;
    for (; f < lagCount; f++) setF64(row, f, meanAtLag(columns, e, position, f));
    const number = <i32>u32At(cells, e);
    const own = f32At(residuals, number);
    const ownCount = <f64>knownAt(number);
    for (let mode: u32 = 0; mode < order; mode++, f++) {
      const fiber = u32At(addressAt(fibers, mode), e);
      const sum = tableAt(addressAt(sums, mode), fiber) - own;
      const count = tableAt(addressAt(counts, mode), fiber) - ownCount;
      setF64(row, f, sum / (max<f64>(0, count) + SHRINKAGE));
    }
    if (windowCount > 0) setF64(row, f, meanAround(columns, e, position));
    const y = f32At(predictions, e);
    const unit = least > 0 ? max<f64>(y, least) : 1;
    const to = features + ((<usize>e * size) << 2);
    for (let f: u32 = 0; f < size; f++) {
      const x = f64At(row, f) * unit;
      setF64(row, f, x);
      setF32(to, f, x);
    }
    addRow(row, f32At(values, e) - y, size, XX, Xr);
  }
}

/** Adds an entry with features `row` and a residual to the sums of a regression. */
function addRow(row: usize, residual: f64, size: u32, XX: usize, Xr: usize): void {
  for (let f: u32 = 0; f < size; f++) {
    const x = f64At(row, f);
    setF64(Xr, f, f64At(Xr, f) + x * residual);
    const both = f64x2.splat(x);
    const to = XX + ((<usize>f * size) << 3);
    let g: u32 = 0;
    for (; g < f; g += 2) {
      const at = to + (<usize>g << 3);
      v128.store(at, f64x2.add(v128.load(at), f64x2.mul(both, v128.load(row + (<usize>g << 3)))));
    }
    if (g == f) setF64(to, g, f64At(to, g) + x * f64At(row, g));
  }
}

/** The mean residual at a lag before and behind an entry's cell; 0 if there is none. */
function meanAtLag(columns: usize, e: u32, position: u64, at: u32): f64 {
  const mode = u32At(lagModes, at);
  const lag = u32At(lags, at);
  const index = u32At(addressAt(columns, mode), e);
  const distance = <u64>lag * load<u64>(strides + (<usize>mode << 3));
  const before = index >= lag ? numberAt(position - distance) : -1;
  const behind = index + lag < u32At(dims, mode) ? numberAt(position + distance) : -1;
  let sum: f64 = 0;
  let count: u32 = 0;
  if (before >= 0) {
    sum += f32At(residuals, before);
    count += knownAt(before);
  }
  if (behind >= 0) {
    sum += f32At(residuals, behind);
    count += knownAt(behind);
  }
  return sum / <f64>max<u32>(1, count);
}

/** The mean residual in the window around an entry's cell, shrunk towards 0. */
function meanAround(columns: usize, e: u32, position: u64): f64 {
  let isInner = true;
  for (let mode: u32 = 0; mode < order && isInner; mode++) {
    const index = u32At(addressAt(columns, mode), e);
    const width = u32At(reach, mode);
    isInner = index >= width && index + width < u32At(dims, mode);
  }
  let sum: f64 = 0;
  let count: u32 = 0;
  for (let at: u32 = 0; at < windowCount; at++) {
    if (!isInner && !isInside(columns, e, at)) continue;
    const number = numberAt(position + load<u64>(offsets + (<usize>at << 3)));
    if (number < 0) continue;
    sum += f32At(residuals, number);
    count += knownAt(number);
  }
  return sum / (<f64>count + SHRINKAGE);
}

/** Whether a cell of the window around an entry lies in the tensor. */
function isInside(columns: usize, e: u32, at: u32): bool {
  for (let mode: u32 = 0; mode < order; mode++) {
    // An index below 0 is a large one.
    const index = u32At(addressAt(columns, mode), e) + u32At(steps, at * order + mode);
    if (index >= u32At(dims, mode)) return false;
  }
  return true;
}
