// The product of a sparse tensor and a matrix in every mode.
import { addressAt, f32At, f64At, u32At } from "./memory";

/**
 * Multiplies a sparse tensor by a matrix in every mode: Σ_e x_e d₁[i₁] ⊗ … ⊗ d_N[i_N]. Sums are made mode by
 * mode, the last one first, over entries that have the indices before it in common; they are in C order.
 * values (float32). matrices: addresses of the d (I × R, float64) of each mode. sums (order + 1): addresses of
 * arrays of R^N … R and 1 numbers (float64), all 0; the first one receives the result.
 */
export function multiplyModes(
  columns: usize, order: u32, values: usize, count: u32, matrices: usize, R: u32, sums: usize,
): void {
  const last = order - 1;
  for (let e: u32 = 0; e < count; e++) {
    const value = addressAt(sums, order);
    store<f64>(value, f32At(values, e));
    addOuter(addressAt(matrices, last), u32At(addressAt(columns, last), e), R, value, 1, addressAt(sums, last));
    let common: u32 = 0;
    if (e + 1 < count)
      while (common < last && u32At(addressAt(columns, common), e) == u32At(addressAt(columns, common), e + 1))
        common++;
    let length = R;
    for (let mode = <i32>last - 1; mode >= <i32>common; mode--) {
      const from = addressAt(sums, mode + 1);
      addOuter(
        addressAt(matrices, mode), u32At(addressAt(columns, mode), e), R, from, length, addressAt(sums, mode),
      );
      memory.fill(from, 0, <usize>length << 3);
      length *= R;
    }
  }
}

/** Adds the outer product of a row of a matrix (I × R) and `by` (length) to `out` (R × length). */
function addOuter(matrix: usize, row: u32, R: u32, by: usize, length: u32, out: usize): void {
  let at = out;
  for (let r: u32 = 0; r < R; r++) {
    const x = f64At(matrix, row * R + r);
    for (let i: u32 = 0; i < length; i++, at += 8) store<f64>(at, load<f64>(at) + x * f64At(by, i));
  }
}
