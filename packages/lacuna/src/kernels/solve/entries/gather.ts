// Khatri-Rao rows on the fly. A row k of K⁽ⁱ⁾ is the elementwise product of one row from each of the other N
// − 1 factors; a block of them is gathered into K (BLOCK × R), together with the residuals k·y − x.
//
// Orders 2, 3 and 4 have loops of their own that take four entries at a time: their four dot products end in
// one transposed sum instead of four horizontal ones. Other orders, and the last entries of a block, are
// processed one by one.
import { multiplyBlock } from "./gram";
import { sumLanes, sumLanesOfFour } from "../lanes";
import { VIEW_ORDER } from "../layout";
import { ROW } from "../rank";
import { addressScratch, valueScratch } from "../scratch";
import { unpackRecords } from "./unpack";
import { Window } from "./window";

/**
 * Gathers `count` ≤ BLOCK entries from the window on and advances it. Writes K[e] = k, the Khatri-Rao row,
 * D[e] = k·y − x, the residual, and S[e] = k·v. K (BLOCK × R), D (BLOCK), S (BLOCK), y (R), v (R).
 */
export function gatherWithProduct(
  view: usize, window: Window, count: u32, y: usize, v: usize, K: usize, D: usize, S: usize,
): void {
  const order = load<i32>(view, VIEW_ORDER);
  if (order == 3) return gatherWithProductBy<Three>(view, window, count, y, v, K, D, S);
  if (order == 4) return gatherWithProductBy<Four>(view, window, count, y, v, K, D, S);
  if (order == 2) return gatherWithProductBy<Two>(view, window, count, y, v, K, D, S);
  gatherAny(view, order, window, count, y, K, D);
  multiplyBlock(K, count, v, S);
}

/**
 * Gathers `count` ≤ BLOCK entries from the window on and advances it. Writes K[e] = k, the Khatri-Rao row,
 * and D[e] = k·y − x, the residual. K (BLOCK × R), D (BLOCK), y (R).
 */
export function gather(view: usize, window: Window, count: u32, y: usize, K: usize, D: usize): void {
  const order = load<i32>(view, VIEW_ORDER);
  if (order == 3) return gatherBy<Three>(view, window, count, y, K, D);
  if (order == 4) return gatherBy<Four>(view, window, count, y, K, D);
  if (order == 2) return gatherBy<Two>(view, window, count, y, K, D);
  return gatherAny(view, order, window, count, y, K, D);
}

// The orders with a loop of their own, as types so that each gets its own compiled copy.
class Two {}
class Three {}
class Four {}

@inline
/** The number of modes other than the view's own: 1, 2 or 3 for the orders Two, Three and Four. */
function otherModes<T>(): i32 {
  return idof<T>() == idof<Two>() ? 1 : idof<T>() == idof<Three>() ? 2 : 3;
}

@inline
/**
 * Four components of a Khatri-Rao row. a, b, c: addresses of these components in the rows of the other
 * factors; b and c are ignored where there are fewer other modes.
 */
function product<T>(a: usize, b: usize, c: usize): v128 {
  if (idof<T>() == idof<Two>()) return v128.load(a);
  if (idof<T>() == idof<Three>()) return f32x4.mul(v128.load(a), v128.load(b));
  return f32x4.mul(f32x4.mul(v128.load(a), v128.load(b)), v128.load(c));
}

@inline
/** The four components of a Khatri-Rao row after those that `product` returns for the same addresses. */
function nextProduct<T>(a: usize, b: usize, c: usize): v128 {
  if (idof<T>() == idof<Two>()) return v128.load(a, 16);
  if (idof<T>() == idof<Three>()) return f32x4.mul(v128.load(a, 16), v128.load(b, 16));
  return f32x4.mul(f32x4.mul(v128.load(a, 16), v128.load(b, 16)), v128.load(c, 16));
}

@inline
/**
 * Stores sixteen components of a Khatri-Rao row at k; returns their products with those of y (y0 … y3), added
 * up lane by lane. a, b, c: as in `product`.
 */
function storeProducts<T>(a: usize, b: usize, c: usize, k: usize, y0: v128, y1: v128, y2: v128, y3: v128): v128 {
  let k0: v128, k1: v128, k2: v128, k3: v128;
  if (idof<T>() == idof<Two>()) {
    k0 = v128.load(a);
    k1 = v128.load(a, 16);
    k2 = v128.load(a, 32);
    k3 = v128.load(a, 48);
  } else {
    k0 = f32x4.mul(v128.load(a), v128.load(b));
    k1 = f32x4.mul(v128.load(a, 16), v128.load(b, 16));
    k2 = f32x4.mul(v128.load(a, 32), v128.load(b, 32));
    k3 = f32x4.mul(v128.load(a, 48), v128.load(b, 48));
    if (idof<T>() == idof<Four>()) {
      k0 = f32x4.mul(k0, v128.load(c));
      k1 = f32x4.mul(k1, v128.load(c, 16));
      k2 = f32x4.mul(k2, v128.load(c, 32));
      k3 = f32x4.mul(k3, v128.load(c, 48));
    }
  }
  v128.store(k, k0);
  v128.store(k, k1, 16);
  v128.store(k, k2, 32);
  v128.store(k, k3, 48);
  return f32x4.add(
    f32x4.add(f32x4.mul(k0, y0), f32x4.mul(k1, y1)),
    f32x4.add(f32x4.mul(k2, y2), f32x4.mul(k3, y3)),
  );
}

/** `gather` for the order T, four entries at a time. */
function gatherBy<T>(view: usize, window: Window, count: u32, y: usize, K: usize, D: usize): void {
  const others = otherModes<T>();
  unpackRecords(view, others, window, count);
  const A = addressScratch(0), B = addressScratch(1), C = addressScratch(2), X = valueScratch();
  let e: u32 = 0;

  for (; e + 4 <= count; e += 4) {
    const here = <usize>e << 2;
    const a = A + here, b = B + here, c = C + here;
    const a0 = load<usize>(a), a1 = load<usize>(a, 4), a2 = load<usize>(a, 8), a3 = load<usize>(a, 12);
    let b0: usize = 0, b1: usize = 0, b2: usize = 0, b3: usize = 0;
    let c0: usize = 0, c1: usize = 0, c2: usize = 0, c3: usize = 0;
    if (others > 1) { b0 = load<usize>(b); b1 = load<usize>(b, 4); b2 = load<usize>(b, 8); b3 = load<usize>(b, 12); }
    if (others > 2) { c0 = load<usize>(c); c1 = load<usize>(c, 4); c2 = load<usize>(c, 8); c3 = load<usize>(c, 12); }
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    const k = K + <usize>e * ROW;
    // Sixteen numbers at a time: within them addresses differ by constants, which cost nothing.
    let at: usize = 0;
    for (; at + 64 <= ROW; at += 64) {
      const ya = y + at, ka = k + at;
      const y0 = v128.load(ya), y1 = v128.load(ya, 16), y2 = v128.load(ya, 32), y3 = v128.load(ya, 48);
      s0 = f32x4.add(s0, storeProducts<T>(a0 + at, b0 + at, c0 + at, ka, y0, y1, y2, y3));
      s1 = f32x4.add(s1, storeProducts<T>(a1 + at, b1 + at, c1 + at, ka + ROW, y0, y1, y2, y3));
      s2 = f32x4.add(s2, storeProducts<T>(a2 + at, b2 + at, c2 + at, ka + 2 * ROW, y0, y1, y2, y3));
      s3 = f32x4.add(s3, storeProducts<T>(a3 + at, b3 + at, c3 + at, ka + 3 * ROW, y0, y1, y2, y3));
    }
    for (; at < ROW; at += 16) {
      const yv = v128.load(y + at);
      const k0 = product<T>(a0 + at, b0 + at, c0 + at);
      const k1 = product<T>(a1 + at, b1 + at, c1 + at);
      const k2 = product<T>(a2 + at, b2 + at, c2 + at);
      const k3 = product<T>(a3 + at, b3 + at, c3 + at);
      v128.store(k + at, k0);
      v128.store(k + at, k1, ROW);
      v128.store(k + at, k2, 2 * ROW);
      v128.store(k + at, k3, 3 * ROW);
      s0 = f32x4.add(s0, f32x4.mul(k0, yv));
      s1 = f32x4.add(s1, f32x4.mul(k1, yv));
      s2 = f32x4.add(s2, f32x4.mul(k2, yv));
      s3 = f32x4.add(s3, f32x4.mul(k3, yv));
    }
    v128.store(D + here, f32x4.sub(sumLanesOfFour(s0, s1, s2, s3), v128.load(X + here)));
  }

  for (; e < count; e++) {
    const here = <usize>e << 2;
    const a = load<usize>(A + here);
    const b = others > 1 ? load<usize>(B + here) : 0;
    const c = others > 2 ? load<usize>(C + here) : 0;
    let s = f32x4.splat(0);
    const k = K + <usize>e * ROW;
    for (let at: usize = 0; at < ROW; at += 16) {
      const kv = product<T>(a + at, b + at, c + at);
      v128.store(k + at, kv);
      s = f32x4.add(s, f32x4.mul(kv, v128.load(y + at)));
    }
    store<f32>(D + here, sumLanes(s) - load<f32>(X + here));
  }
}

/**
 * `gatherWithProduct` for the order T, two entries at a time: with two dot products each, the sums of more
 * would not stay in registers.
 */
function gatherWithProductBy<T>(
  view: usize, window: Window, count: u32, y: usize, v: usize, K: usize, D: usize, S: usize,
): void {
  const others = otherModes<T>();
  unpackRecords(view, others, window, count);
  const A = addressScratch(0), B = addressScratch(1), C = addressScratch(2), X = valueScratch();
  let e: u32 = 0;
  for (; e + 2 <= count; e += 2) {
    const here = <usize>e << 2;
    const a0 = load<usize>(A + here), a1 = load<usize>(A + here, 4);
    let b0: usize = 0, b1: usize = 0, c0: usize = 0, c1: usize = 0;
    if (others > 1) { b0 = load<usize>(B + here); b1 = load<usize>(B + here, 4); }
    if (others > 2) { c0 = load<usize>(C + here); c1 = load<usize>(C + here, 4); }
    let s0 = f32x4.splat(0), t0 = s0; // k·y and k·v of the first
    let s1 = s0, t1 = s0; // and of the second
    const k = K + <usize>e * ROW;
    let at: usize = 0;
    for (; at + 32 <= ROW; at += 32) {
      const ya = y + at, va = v + at;
      const y0 = v128.load(ya), y1 = v128.load(ya, 16);
      const v0 = v128.load(va), v1 = v128.load(va, 16);
      {
        const a = a0 + at, b = b0 + at, c = c0 + at;
        const k0 = product<T>(a, b, c);
        const k1 = nextProduct<T>(a, b, c);
        v128.store(k + at, k0);
        v128.store(k + at, k1, 16);
        s0 = f32x4.add(s0, f32x4.add(f32x4.mul(k0, y0), f32x4.mul(k1, y1)));
        t0 = f32x4.add(t0, f32x4.add(f32x4.mul(k0, v0), f32x4.mul(k1, v1)));
      }
      {
        const a = a1 + at, b = b1 + at, c = c1 + at;
        const k0 = product<T>(a, b, c);
        const k1 = nextProduct<T>(a, b, c);
        v128.store(k + at, k0, ROW);
        v128.store(k + at, k1, ROW + 16);
        s1 = f32x4.add(s1, f32x4.add(f32x4.mul(k0, y0), f32x4.mul(k1, y1)));
        t1 = f32x4.add(t1, f32x4.add(f32x4.mul(k0, v0), f32x4.mul(k1, v1)));
      }
    }
    for (; at < ROW; at += 16) {
      const yv = v128.load(y + at), vv = v128.load(v + at);
      const k0 = product<T>(a0 + at, b0 + at, c0 + at);
      v128.store(k + at, k0);
      s0 = f32x4.add(s0, f32x4.mul(k0, yv));
      t0 = f32x4.add(t0, f32x4.mul(k0, vv));
      const k1 = product<T>(a1 + at, b1 + at, c1 + at);
      v128.store(k + at, k1, ROW);
      s1 = f32x4.add(s1, f32x4.mul(k1, yv));
      t1 = f32x4.add(t1, f32x4.mul(k1, vv));
    }
    const dots = sumLanesOfFour(s0, s1, t0, t1);
    const d = f32x4.sub(dots, v128.load64_zero(X + here));
    v128.store64_lane(D + (<usize>e << 2), d, 0);
    v128.store64_lane(S + (<usize>e << 2), dots, 1);
  }
  if (e < count) {
    const here = <usize>e << 2;
    const a = load<usize>(A + here);
    const b = others > 1 ? load<usize>(B + here) : 0;
    const c = others > 2 ? load<usize>(C + here) : 0;
    let s = f32x4.splat(0), t = s;
    const k = K + <usize>e * ROW;
    for (let at: usize = 0; at < ROW; at += 16) {
      const kv = product<T>(a + at, b + at, c + at);
      v128.store(k + at, kv);
      s = f32x4.add(s, f32x4.mul(kv, v128.load(y + at)));
      t = f32x4.add(t, f32x4.mul(kv, v128.load(v + at)));
    }
    store<f32>(D + (<usize>e << 2), sumLanes(s) - load<f32>(X + here));
    store<f32>(S + (<usize>e << 2), sumLanes(t));
  }
}

/** `gather` for any order, entry by entry. */
function gatherAny(view: usize, order: i32, window: Window, count: u32, y: usize, K: usize, D: usize): void {
  const others = order - 1;
  unpackRecords(view, others, window, count);
  for (let e: u32 = 0; e < count; e++) {
    const here = <usize>e << 2;
    const k = K + <usize>e * ROW;
    const a = load<usize>(addressScratch(0) + here);
    for (let at: usize = 0; at < ROW; at += 16) v128.store(k + at, v128.load(a + at));
    for (let o = 1; o < others; o++) {
      const b = load<usize>(addressScratch(o) + here);
      for (let at: usize = 0; at < ROW; at += 16) v128.store(k + at, f32x4.mul(v128.load(k + at), v128.load(b + at)));
    }
    let s = f32x4.splat(0);
    for (let at: usize = 0; at < ROW; at += 16) s = f32x4.add(s, f32x4.mul(v128.load(k + at), v128.load(y + at)));
    store<f32>(D + here, sumLanes(s) - load<f32>(valueScratch() + here));
  }
}
