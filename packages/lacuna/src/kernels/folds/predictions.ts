// Products of factors at cells, residuals of predictions, and corrected predictions.
import { addressAt, f32At, f64At, setF32, setF64, u32At } from "./memory";

/**
 * Writes the products of factors Σ_r Π_j a_jr (float64) at cells.
 * factors (order): addresses of the factors (I × R). columns (order): those of the columns of indices.
 */
export function products(
  factors: usize, columns: usize, order: u32, rank: u32, count: u32, out: usize,
): void {
  const first = addressAt(factors, 0);
  const rows = addressAt(columns, 0);
  const last = addressAt(factors, order - 1);
  const lastRows = addressAt(columns, order - 1);
  // Tensors of order 2 and 3, the most frequent, do not load an address for each component.
  const middle = order == 3 ? addressAt(factors, 1) : 0;
  const middleRows = order == 3 ? addressAt(columns, 1) : 0;
  for (let e: u32 = 0; e < count; e++) {
    let sum: f64 = 0;
    const a = u32At(rows, e) * rank;
    const c = u32At(lastRows, e) * rank;
    if (order == 3) {
      const b = u32At(middleRows, e) * rank;
      for (let r: u32 = 0; r < rank; r++)
        sum += f32At(first, a + r) * f32At(middle, b + r) * f32At(last, c + r);
    } else if (order == 2) {
      for (let r: u32 = 0; r < rank; r++) sum += f32At(first, a + r) * f32At(last, c + r);
    } else {
      for (let r: u32 = 0; r < rank; r++) {
        let term = f32At(first, a + r);
        for (let mode: u32 = 1; mode < order; mode++)
          term *= f32At(addressAt(factors, mode), u32At(addressAt(columns, mode), e) * rank + r);
        sum += term;
      }
    }
    setF64(out, e, sum);
  }
}

/**
 * Writes the mean (float32) of the predictions of each entry. predictions (models): their addresses; folds
 * (count, bytes): if not 0, the model of the entry's own fold is left out.
 */
export function meanOf(predictions: usize, models: u32, folds: usize, count: u32, out: usize): void {
  for (let e: u32 = 0; e < count; e++) {
    const without: u32 = folds ? load<u8>(folds + e) : models;
    let sum: f64 = 0;
    for (let k: u32 = 0; k < models; k++) if (k !== without) sum += f32At(addressAt(predictions, k), e);
    setF32(out, e, sum / <f64>(without < models ? models - 1 : models));
  }
}

/**
 * Writes the residuals (float32) of all entries, absolute or, if least > 0, relative to the predictions, but at
 * least to `least`.
 */
export function residualsOf(values: usize, predictions: usize, count: u32, least: f64, out: usize): void {
  for (let e: u32 = 0; e < count; e++) {
    const y = f32At(predictions, e);
    const residual = f32At(values, e) - y;
    setF32(out, e, least > 0 ? residual / max<f64>(y, least) : residual);
  }
}

/**
 * Writes corrected predictions (float32), at least 0, and returns the sum of their squared errors.
 * folds (u8): the fold of each entry. predictions: the addresses of those of each fold's model. weights: the
 * addresses of each fold's coefficients (size, float64). features (entries × size, float32).
 */
export function correct(
  values: usize, folds: usize, predictions: usize, weights: usize, features: usize, size: u32, count: u32,
  out: usize,
): f64 {
  let squares: f64 = 0;
  for (let e: u32 = 0; e < count; e++) {
    const fold = <u32>load<u8>(folds + e);
    const foldWeights = addressAt(weights, fold);
    const row = features + ((<usize>e * size) << 2);
    let sum = f32At(addressAt(predictions, fold), e);
    for (let f: u32 = 0; f < size; f++) sum += f64At(foldWeights, f) * f32At(row, f);
    setF32(out, e, max<f64>(0, sum));
    const error = f32At(values, e) - f32At(out, e);
    squares += error * error;
  }
  return squares;
}
