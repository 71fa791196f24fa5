// Sums over entries: correlations at lags, means and biases of rows, and exact sums of errors.
import { addressAt, f32At, f64At, setF64, setU32, u32At } from "./memory";

/**
 * Sums products of residuals by their distance along a mode. positions (float64): those of the cells, sorted,
 * with the mode's index varying fastest. residuals (float32) and groups (u8, or 0): in the same order; entries
 * of the same group are not compared. Every `stride`-th entry is compared with those behind it, up to
 * `largest` rows. products, pairs (largest + 1): receive sums and numbers of pairs. Returns the sum of squares.
 */
export function sumLags(
  positions: usize, residuals: usize, groups: usize, count: u32, dim: f64, largest: f64, stride: u32,
  products: usize, pairs: usize,
): f64 {
  let squares: f64 = 0;
  for (let i: u32 = 0; i < count; i += stride) {
    const residual = f32At(residuals, i);
    const position = f64At(positions, i);
    squares += residual * residual;
    const last = position + min<f64>(largest, dim - 1 - (position - Math.floor(position / dim) * dim));
    for (let j = i + 1; j < count; j++) {
      const distance = f64At(positions, j);
      if (distance > last) break;
      if (groups != 0 && load<u8>(groups + i) == load<u8>(groups + j)) continue;
      const lag = <u32>(distance - position);
      setF64(products, lag, f64At(products, lag) + residual * f32At(residuals, j));
      setF64(pairs, lag, f64At(pairs, lag) + 1);
    }
  }
  return squares;
}

/** Adds values (float32) to the sums (float64) of their rows, and 1 to the counts (u32). */
export function sumRows(column: usize, values: usize, count: u32, counts: usize, sums: usize): void {
  for (let e: u32 = 0; e < count; e++) {
    const row = u32At(column, e);
    setU32(counts, row, u32At(counts, row) + 1);
    setF64(sums, row, f64At(sums, row) + f32At(values, e));
  }
}

/** Returns `sum` plus each value (float32) divided by `parts`. */
export function addParts(values: usize, count: u32, parts: f64, sum: f64): f64 {
  for (let e: u32 = 0; e < count; e++) sum += f32At(values, e) / parts;
  return sum;
}

/** Writes values (float32) − mean (float64). */
export function subtract(values: usize, count: u32, mean: f64, out: usize): void {
  for (let e: u32 = 0; e < count; e++) setF64(out, e, f32At(values, e) - mean);
}

/**
 * A step of block coordinate descent for additive biases: subtracts the steps of the mode before from the
 * residuals (float64) and sums residuals and biases by row of the next mode. All tables are float64.
 */
export function descend(
  residuals: usize, count: u32, columnBefore: usize, stepsBefore: usize, column: usize, biases: usize,
  sums: usize,
): void {
  for (let e: u32 = 0; e < count; e++) {
    const residual = f64At(residuals, e) - f64At(stepsBefore, u32At(columnBefore, e));
    setF64(residuals, e, residual);
    const row = u32At(column, e);
    setF64(sums, row, f64At(sums, row) + (residual + f64At(biases, row)));
  }
}

/**
 * Adds the errors of predictions y (float64) of values x (float32) to the counters of exact sums: of squared
 * errors, of absolute ones, and of squared values (4096 float64 each, as in the host's ExactSum).
 */
export function addExact(x: usize, y: usize, count: u32, counters: usize): void {
  for (let e: u32 = 0; e < count; e++) {
    const value = f32At(x, e);
    const residual = value - f64At(y, e);
    add(counters, residual * residual);
    add(counters + 32768, abs<f64>(residual));
    add(counters + 65536, value * value);
  }
}

@inline
/** Adds a number from 0 to the counters of an exact sum: per exponent, two halves of the mantissa. */
function add(counters: usize, x: f64): void {
  const bits = reinterpret<u64>(x);
  const exponent = <u32>(bits >> 52);
  const mantissa = (bits & 0xfffffffffffff) | (exponent > 0 ? 0x10000000000000 : 0);
  const at = counters + (<usize>max<u32>(1, exponent) << 4);
  store<f64>(at, load<f64>(at) + <f64>(mantissa >> 26));
  store<f64>(at + 8, load<f64>(at + 8) + <f64>(mantissa & 0x3ffffff));
}
