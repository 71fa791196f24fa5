// Exact sums of the values of each row: as whole numbers of units, in two halves (tensor/observed.ts).
import { HALF_UNITS } from "../layout";

/**
 * Rounds each value of a block to a whole number of units, `perUnit` times the value, and splits that into
 * two float64: ⌊units / HALF_UNITS⌋ and the remaining units. halves (count × 2, rounded up to even).
 */
export function splitValues(values: usize, count: u32, perUnit: f64, halves: usize): void {
  const by = f64x2.splat(perUnit);
  // Two at a time; what lies beyond the last is not used.
  for (let e: u32 = 0; e < count; e += 2) {
    const x = f64x2.promote_low_f32x4(v128.load64_zero(values + (<usize>e << 2)));
    const units = f64x2.floor(f64x2.add(f64x2.mul(x, by), f64x2.splat(0.5)));
    const high = f64x2.floor(f64x2.mul(units, f64x2.splat(1 / HALF_UNITS)));
    const low = f64x2.sub(units, f64x2.mul(high, f64x2.splat(HALF_UNITS)));
    const to = halves + (<usize>e << 4);
    v128.store(to, v128.shuffle<i64>(high, low, 0, 2));
    v128.store(to, v128.shuffle<i64>(high, low, 1, 3), 16);
  }
}

/**
 * Adds the split values of a block to the sums (rows × 2, float64) of the entries' rows. column: these rows.
 */
export function addSplitValues(column: usize, count: u32, halves: usize, sums: usize): void {
  for (let e: u32 = 0; e < count; e++) {
    const at = sums + (<usize>load<u32>(column + (<usize>e << 2)) << 4);
    v128.store(at, f64x2.add(v128.load(at), v128.load(halves + (<usize>e << 4))));
  }
}
