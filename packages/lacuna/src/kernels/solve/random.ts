// The counter-based random numbers of base/random.ts in AssemblyScript: same functions, same bits.

/** Mixes the bits of a word. */
export function mix(x: u32): u32 {
  x = (x ^ (x >> 16)) * 0x7feb352d;
  x = (x ^ (x >> 15)) * 0x846ca68b;
  return x ^ (x >> 16);
}

/** Draw number `counter` of the stream `key`. */
export function draw(key: u32, counter: u32): u32 {
  return mix(mix(key ^ counter) + key * 0x85ebca6b);
}

/** Turns 32 random bits into an integer in [0, n). */
export function below(bits: u32, n: u32): u32 {
  return <u32>((<u64>bits * <u64>n) >> 32);
}

/** Extends the hash of a coordinate by one more index. */
@inline
export function hashIndex(hash: u32, index: u32): u32 {
  const h = (hash ^ index) * 0x9e3779b1;
  return (h ^ (h >> 15)) + 0x7feb352d;
}

/** `hashIndex` of four hashes and indices. */
@inline
export function hashFour(hash: v128, index: v128): v128 {
  const h = i32x4.mul(v128.xor(hash, index), i32x4.splat(0x9e3779b1));
  return i32x4.add(v128.xor(h, i32x4.shr_u(h, 15)), i32x4.splat(0x7feb352d));
}

/** `mix` of four numbers. */
@inline
/** Mixes the bits of a word. */
export function mixFour(x: v128): v128 {
  x = i32x4.mul(v128.xor(x, i32x4.shr_u(x, 16)), i32x4.splat(0x7feb352d));
  x = i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), i32x4.splat(0x846ca68b));
  return v128.xor(x, i32x4.shr_u(x, 16));
}
