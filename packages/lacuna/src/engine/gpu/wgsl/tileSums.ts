/** WGSL that sums a symmetric matrix in 4 × 4 tiles, on and above the diagonal, with an invocation per tile. */

/** Declares tileAt: row and column of a tile of a symmetric matrix, by its number. */
export const tileAt = `
/** Tiles are numbered by columns: (0,0), (0,1), (1,1), (0,2) … */
fn tileAt(number: u32) -> vec2<u32> {
  var column = u32((sqrt(8.0 * f32(number) + 1.0) - 1.0) / 2.0);
  if (column * (column + 1u) / 2u > number) { column--; }
  if ((column + 1u) * (column + 2u) / 2u <= number) { column++; }
  return vec2(number - column * (column + 1u) / 2u, column);
}`

/**
 * Declares the tile of an invocation, `tile` and its `number`, and its sums t0 … t3. Where there are fewer tiles than
 * invocations, each tile has several `splits`, which sum over different entries.
 * @param size invocations of the workgroup
 */
export function declareTile(tiles: number, size: number, splits: number): string {
  const shared = Math.min(tiles, size)
  return `let number = group.z * ${size}u + lane % ${shared}u;
  let split = lane / ${shared}u;
  let hasTile = number < ${tiles}u && split < ${splits}u;
  let tile = tileAt(min(number, ${tiles - 1}u));
  var t0 = vec4f(); var t1 = vec4f(); var t2 = vec4f(); var t3 = vec4f();`
}

/** Adds the sums of all splits of a tile, in shared memory, and writes them to `sums` from `into` on. */
export function storeTiles(tiles: number, size: number, splits: number): string {
  const shared = Math.min(tiles, size)
  return splits > 1
    ? `workgroupBarrier();
  if (hasTile) {
    let at = (split * ${shared}u + number) * 4u;
    scratch[at] = t0; scratch[at + 1u] = t1; scratch[at + 2u] = t2; scratch[at + 3u] = t3;
  }
  workgroupBarrier();
  for (var quad = lane; quad < ${4 * tiles}u; quad += ${size}u) {
    var value = scratch[quad];
    for (var other = 1u; other < ${splits}u; other++) { value += scratch[other * ${4 * shared}u + quad]; }
    sums[into + quad] = value;
  }`
    : `if (hasTile) {
    let at = into + number * 4u;
    sums[at] = t0; sums[at + 1u] = t1; sums[at + 2u] = t2; sums[at + 3u] = t3;
  }`
}
