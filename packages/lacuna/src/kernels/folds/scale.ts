// The size of residuals at cells: a function of the prediction, times a factor of each row; the host's
// model/ensemble/residualScale.ts fits and describes it.
import { addressAt, f32At, f64At, setF64, u32At } from "./memory";

/**
 * Writes the size (float64) at each prediction (float32): a piecewise linear function with `knots` knots
 * (float64), constant beyond the first and the last.
 */
export function curveSizes(
  predictions: usize, count: u32, knotPredictions: usize, knotSizes: usize, knots: u32, out: usize,
): void {
  for (let e: u32 = 0; e < count; e++) {
    const y = f32At(predictions, e);
    let above: u32 = 0;
    while (above < knots && !(y <= f64At(knotPredictions, above))) above++;
    if (above == knots) setF64(out, e, f64At(knotSizes, knots - 1));
    else if (above == 0) setF64(out, e, f64At(knotSizes, 0));
    else {
      const before = f64At(knotPredictions, above - 1);
      const size = f64At(knotSizes, above - 1);
      const fraction = (y - before) / (f64At(knotPredictions, above) - before);
      setF64(out, e, size + fraction * (f64At(knotSizes, above) - size));
    }
  }
}

@inline
/** An entry's absolute residual, divided by the scale without the factor of its row of a mode. */
function relativeResidual(
  e: u32, mode: u32, order: u32, columns: usize, values: usize, predictions: usize, sizes: usize, rows: usize,
): f64 {
  let scale = f64At(sizes, e);
  for (let other: u32 = 0; other < order; other++)
    if (other != mode) scale *= f32At(addressAt(rows, other), u32At(addressAt(columns, other), e));
  return abs<f64>(f32At(values, e) - f32At(predictions, e)) / scale;
}

/**
 * Adds the relative residuals of entries to the sums (float64) of their rows of a mode.
 * columns, rows (order): addresses of the columns of indices, and of the factors of rows (float32).
 */
export function scaleRows(
  mode: u32, order: u32, columns: usize, values: usize, predictions: usize, sizes: usize, rows: usize, count: u32,
  sums: usize,
): void {
  const column = addressAt(columns, mode);
  for (let e: u32 = 0; e < count; e++) {
    const row = u32At(column, e);
    const residual = relativeResidual(e, mode, order, columns, values, predictions, sizes, rows);
    setF64(sums, row, f64At(sums, row) + residual);
  }
}

/**
 * Writes the scale (float64) of each entry: its size times the factors of its rows, without its own residual.
 * sums, counts (order): addresses of the rows' sums (float64) and numbers of entries (u32). A factor is shrunk
 * towards 1 as by `shrinkage` more residuals, and limited to least … most.
 */
export function scaleEntries(
  order: u32, columns: usize, values: usize, predictions: usize, sizes: usize, rows: usize, count: u32,
  sums: usize, counts: usize, shrinkage: f64, least: f64, most: f64, out: usize,
): void {
  for (let e: u32 = 0; e < count; e++) {
    let scale = f64At(sizes, e);
    for (let mode: u32 = 0; mode < order; mode++) {
      const row = u32At(addressAt(columns, mode), e);
      const residual = relativeResidual(e, mode, order, columns, values, predictions, sizes, rows);
      const sum = f64At(addressAt(sums, mode), row) - residual;
      const entries = <f64>(<i32>u32At(addressAt(counts, mode), row) - 1);
      scale *= min<f64>(most, max<f64>(least, (max<f64>(0, sum) + shrinkage) / (entries + shrinkage)));
    }
    setF64(out, e, scale);
  }
}
