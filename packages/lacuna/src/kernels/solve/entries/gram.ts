// Sums over a block of Khatri-Rao rows: g += Kᵀd and H += KᵀK, with d the residuals k·y − x (prediction minus
// value). Where entries have weights, K and d are multiplied by √w before (weights.ts). A tile of the sum
// stays in registers during the pass over the block. `fresh` starts a sum at zero, so that no memory need be
// cleared.
import { sumLanes, sumLanesOfFour } from "../lanes";
import { R, ROW } from "../rank";

/**
 * g (R) += Σ d_e k_e over the first `count` rows of K (BLOCK × R), with d = D (BLOCK): lines 6 to 8 of
 * Algorithm 1, without λy. With `fresh`, g = that sum.
 */
export function addGradient(K: usize, D: usize, count: u32, g: usize, fresh: bool): void {
  let at: usize = 0;
  for (; at + 64 <= ROW; at += 64) {
    let g0 = f32x4.splat(0), g1 = g0, g2 = g0, g3 = g0;
    if (!fresh) {
      g0 = v128.load(g + at);
      g1 = v128.load(g + at, 16);
      g2 = v128.load(g + at, 32);
      g3 = v128.load(g + at, 48);
    }
    let k = K + at;
    for (let e: u32 = 0; e < count; e++) {
      const d = v128.load32_splat(D + (<usize>e << 2));
      g0 = f32x4.add(g0, f32x4.mul(d, v128.load(k)));
      g1 = f32x4.add(g1, f32x4.mul(d, v128.load(k, 16)));
      g2 = f32x4.add(g2, f32x4.mul(d, v128.load(k, 32)));
      g3 = f32x4.add(g3, f32x4.mul(d, v128.load(k, 48)));
      k += ROW;
    }
    v128.store(g + at, g0);
    v128.store(g + at, g1, 16);
    v128.store(g + at, g2, 32);
    v128.store(g + at, g3, 48);
  }
  for (; at < ROW; at += 16) {
    let g0 = fresh ? f32x4.splat(0) : v128.load(g + at);
    let k = K + at;
    for (let e: u32 = 0; e < count; e++) {
      g0 = f32x4.add(g0, f32x4.mul(v128.load32_splat(D + (<usize>e << 2)), v128.load(k)));
      k += ROW;
    }
    v128.store(g + at, g0);
  }
}

/**
 * g (R) += Σ d_e k_e and w (R) += Σ s_e k_e over the first `count` rows of K (BLOCK × R), with d = D and s =
 * S (BLOCK); with `fresh`, = instead of +=. For s = k·v, w is Hv.
 */
export function addGradientAndProduct(K: usize, D: usize, S: usize, count: u32, g: usize, w: usize, fresh: bool): void {
  let at: usize = 0;
  for (; at + 64 <= ROW; at += 64) {
    let g0 = f32x4.splat(0), g1 = g0, g2 = g0, g3 = g0, w0 = g0, w1 = g0, w2 = g0, w3 = g0;
    if (!fresh) {
      g0 = v128.load(g + at); g1 = v128.load(g + at, 16); g2 = v128.load(g + at, 32); g3 = v128.load(g + at, 48);
      w0 = v128.load(w + at); w1 = v128.load(w + at, 16); w2 = v128.load(w + at, 32); w3 = v128.load(w + at, 48);
    }
    let k = K + at;
    for (let e: u32 = 0; e < count; e++) {
      const d = v128.load32_splat(D + (<usize>e << 2));
      const s = v128.load32_splat(S + (<usize>e << 2));
      const k0 = v128.load(k), k1 = v128.load(k, 16), k2 = v128.load(k, 32), k3 = v128.load(k, 48);
      g0 = f32x4.add(g0, f32x4.mul(d, k0));
      w0 = f32x4.add(w0, f32x4.mul(s, k0));
      g1 = f32x4.add(g1, f32x4.mul(d, k1));
      w1 = f32x4.add(w1, f32x4.mul(s, k1));
      g2 = f32x4.add(g2, f32x4.mul(d, k2));
      w2 = f32x4.add(w2, f32x4.mul(s, k2));
      g3 = f32x4.add(g3, f32x4.mul(d, k3));
      w3 = f32x4.add(w3, f32x4.mul(s, k3));
      k += ROW;
    }
    v128.store(g + at, g0); v128.store(g + at, g1, 16); v128.store(g + at, g2, 32); v128.store(g + at, g3, 48);
    v128.store(w + at, w0); v128.store(w + at, w1, 16); v128.store(w + at, w2, 32); v128.store(w + at, w3, 48);
  }
  for (; at < ROW; at += 16) {
    let g0 = fresh ? f32x4.splat(0) : v128.load(g + at);
    let w0 = fresh ? f32x4.splat(0) : v128.load(w + at);
    let k = K + at;
    for (let e: u32 = 0; e < count; e++) {
      const kv = v128.load(k);
      g0 = f32x4.add(g0, f32x4.mul(v128.load32_splat(D + (<usize>e << 2)), kv));
      w0 = f32x4.add(w0, f32x4.mul(v128.load32_splat(S + (<usize>e << 2)), kv));
      k += ROW;
    }
    v128.store(g + at, g0);
    v128.store(w + at, w0);
  }
}

/** S[e] = k_e·v for the first `count` rows of K (BLOCK × R), with v (R). */
export function multiplyBlock(K: usize, count: u32, v: usize, S: usize): void {
  let k = K;
  let e: u32 = 0;
  for (; e + 4 <= count; e += 4) {
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let at: usize = 0;
    for (; at + 64 <= ROW; at += 64) {
      const va = v + at, ka = k + at;
      const v0 = v128.load(va), v1 = v128.load(va, 16), v2 = v128.load(va, 32), v3 = v128.load(va, 48);
      s0 = f32x4.add(s0, dotChunk(ka, v0, v1, v2, v3));
      s1 = f32x4.add(s1, dotChunk(ka + ROW, v0, v1, v2, v3));
      s2 = f32x4.add(s2, dotChunk(ka + 2 * ROW, v0, v1, v2, v3));
      s3 = f32x4.add(s3, dotChunk(ka + 3 * ROW, v0, v1, v2, v3));
    }
    for (; at < ROW; at += 16) {
      const x = v128.load(v + at);
      s0 = f32x4.add(s0, f32x4.mul(v128.load(k + at), x));
      s1 = f32x4.add(s1, f32x4.mul(v128.load(k + at, ROW), x));
      s2 = f32x4.add(s2, f32x4.mul(v128.load(k + at, 2 * ROW), x));
      s3 = f32x4.add(s3, f32x4.mul(v128.load(k + at, 3 * ROW), x));
    }
    v128.store(S + (<usize>e << 2), sumLanesOfFour(s0, s1, s2, s3));
    k += 4 * ROW;
  }
  for (; e < count; e++) {
    let s = f32x4.splat(0);
    for (let at: usize = 0; at < ROW; at += 16) s = f32x4.add(s, f32x4.mul(v128.load(k + at), v128.load(v + at)));
    store<f32>(S + (<usize>e << 2), sumLanes(s));
    k += ROW;
  }
}

@inline
/** The products of sixteen components at k with those in v0 … v3, added up lane by lane. */
function dotChunk(k: usize, v0: v128, v1: v128, v2: v128, v3: v128): v128 {
  return f32x4.add(
    f32x4.add(f32x4.mul(v128.load(k), v0), f32x4.mul(v128.load(k, 16), v1)),
    f32x4.add(f32x4.mul(v128.load(k, 32), v2), f32x4.mul(v128.load(k, 48), v3)),
  );
}

/**
 * H (R × R) += Σ k_e k_eᵀ over the first `count` rows of K (BLOCK × R), on the 4 × 4 tiles on and above the
 * diagonal: line 9 of Algorithm 1, without λI. With `fresh`, H = that sum.
 */
export function addHessian(K: usize, count: u32, H: usize, fresh: bool): void {
  for (let row: usize = 0; row < ROW; row += 16) {
    let column = row;
    for (; column + 32 <= ROW; column += 32) addTile8(K, count, row, column, H + (row >> 2) * ROW + column, fresh);
    if (column < ROW) addTile4(K, count, row, column, H + (row >> 2) * ROW + column, fresh);
  }
}

/**
 * `addHessian` for four rows by eight columns of H, at the address `tile`: eight sums, two column vectors and
 * a broadcast fill the registers. row, column: offsets in bytes within a row of K.
 */
function addTile8(K: usize, count: u32, row: usize, column: usize, tile: usize, fresh: bool): void {
  let h00 = f32x4.splat(0), h01 = h00, h10 = h00, h11 = h00, h20 = h00, h21 = h00, h30 = h00, h31 = h00;
  if (!fresh) {
    h00 = v128.load(tile); h01 = v128.load(tile, 16);
    h10 = v128.load(tile, ROW); h11 = v128.load(tile, ROW + 16);
    h20 = v128.load(tile, 2 * ROW); h21 = v128.load(tile, 2 * ROW + 16);
    h30 = v128.load(tile, 3 * ROW); h31 = v128.load(tile, 3 * ROW + 16);
  }
  let left = K + row;
  let right = K + column;
  for (let e: u32 = 0; e < count; e++) {
    const r0 = v128.load(right);
    const r1 = v128.load(right, 16);
    const l0 = v128.load32_splat(left);
    h00 = f32x4.add(h00, f32x4.mul(l0, r0));
    h01 = f32x4.add(h01, f32x4.mul(l0, r1));
    const l1 = v128.load32_splat(left, 4);
    h10 = f32x4.add(h10, f32x4.mul(l1, r0));
    h11 = f32x4.add(h11, f32x4.mul(l1, r1));
    const l2 = v128.load32_splat(left, 8);
    h20 = f32x4.add(h20, f32x4.mul(l2, r0));
    h21 = f32x4.add(h21, f32x4.mul(l2, r1));
    const l3 = v128.load32_splat(left, 12);
    h30 = f32x4.add(h30, f32x4.mul(l3, r0));
    h31 = f32x4.add(h31, f32x4.mul(l3, r1));
    left += ROW;
    right += ROW;
  }
  v128.store(tile, h00); v128.store(tile, h01, 16);
  v128.store(tile, h10, ROW); v128.store(tile, h11, ROW + 16);
  v128.store(tile, h20, 2 * ROW); v128.store(tile, h21, 2 * ROW + 16);
  v128.store(tile, h30, 3 * ROW); v128.store(tile, h31, 3 * ROW + 16);
}

/** `addHessian` for four rows by four columns of H, at the address `tile`. row, column: offsets in bytes. */
function addTile4(K: usize, count: u32, row: usize, column: usize, tile: usize, fresh: bool): void {
  let h0 = f32x4.splat(0), h1 = h0, h2 = h0, h3 = h0;
  if (!fresh) {
    h0 = v128.load(tile); h1 = v128.load(tile, ROW); h2 = v128.load(tile, 2 * ROW); h3 = v128.load(tile, 3 * ROW);
  }
  let left = K + row;
  let right = K + column;
  for (let e: u32 = 0; e < count; e++) {
    const r = v128.load(right);
    h0 = f32x4.add(h0, f32x4.mul(v128.load32_splat(left), r));
    h1 = f32x4.add(h1, f32x4.mul(v128.load32_splat(left, 4), r));
    h2 = f32x4.add(h2, f32x4.mul(v128.load32_splat(left, 8), r));
    h3 = f32x4.add(h3, f32x4.mul(v128.load32_splat(left, 12), r));
    left += ROW;
    right += ROW;
  }
  v128.store(tile, h0); v128.store(tile, h1, ROW); v128.store(tile, h2, 2 * ROW); v128.store(tile, h3, 3 * ROW);
}

/** H (R × R) += other, on the 4 × 4 tiles on and above the diagonal. */
export function addMatrix(H: usize, other: usize): void {
  for (let r: usize = 0; r < R; r++) {
    for (let at = (r & ~3) << 2; at < ROW; at += 16) {
      const here = H + r * ROW + at;
      v128.store(here, f32x4.add(v128.load(here), v128.load(other + r * ROW + at)));
    }
  }
}

/** g (R) += other */
export function addVector(g: usize, other: usize): void {
  for (let at: usize = 0; at < ROW; at += 16) v128.store(g + at, f32x4.add(v128.load(g + at), v128.load(other + at)));
}

/** Copies the 4 × 4 tiles above the diagonal of H (R × R), transposed, to those below it. */
export function mirrorHessian(H: usize): void {
  for (let row: usize = 0; row < ROW; row += 16) {
    for (let column = row + 16; column < ROW; column += 16) transposeTile(H + (row >> 2) * ROW + column, H + (column >> 2) * ROW + row);
  }
}

@inline
/** Copies a 4 × 4 tile of a matrix (R × R) transposed. */
function transposeTile(from: usize, to: usize): void {
  const a = v128.load(from), b = v128.load(from, ROW), c = v128.load(from, 2 * ROW), d = v128.load(from, 3 * ROW);
  const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5), ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cd0 = v128.shuffle<f32>(c, d, 0, 4, 1, 5), cd1 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<f32>(ab0, cd0, 0, 1, 4, 5));
  v128.store(to, v128.shuffle<f32>(ab0, cd0, 2, 3, 6, 7), ROW);
  v128.store(to, v128.shuffle<f32>(ab1, cd1, 0, 1, 4, 5), 2 * ROW);
  v128.store(to, v128.shuffle<f32>(ab1, cd1, 2, 3, 6, 7), 3 * ROW);
}
