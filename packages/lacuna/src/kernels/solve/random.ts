// The counter-based random numbers of base/random.ts in AssemblyScript: same functions, same bits.

/** Permutes all words so that every bit of the result depends on every bit of x. */
export function mix(x: u32): u32 {
  x = (x ^ (x >> 16)) * 0x7feb352d;
  x = (x ^ (x >> 15)) * 0x846ca68b;
  return x ^ (x >> 16);
}

/** Draw number `counter` of the random stream `key`: 32 bits. */
export function draw(key: u32, counter: u32): u32 {
  return mix(mix(key ^ counter) + key * 0x85ebca6b);
}

/** Maps 32 random bits to an integer in [0, n), nearly uniformly: ⌊bits · n / 2³²⌋. */
export function below(bits: u32, n: u32): u32 {
  return <u32>((<u64>bits * <u64>n) >> 32);
}

@inline
/** Extends the hash of an entry's coordinates by its index in one more mode. */
export function hashIndex(hash: u32, index: u32): u32 {
  const h = (hash ^ index) * 0x9e3779b1;
  return (h ^ (h >> 15)) + 0x7feb352d;
}

@inline
/** `hashIndex` of four hashes and four indices, lane by lane. */
export function hashFour(hash: v128, index: v128): v128 {
  const h = i32x4.mul(v128.xor(hash, index), i32x4.splat(0x9e3779b1));
  return i32x4.add(v128.xor(h, i32x4.shr_u(h, 15)), i32x4.splat(0x7feb352d));
}

@inline
/** `mix` of four words, lane by lane. */
export function mixFour(x: v128): v128 {
  x = i32x4.mul(v128.xor(x, i32x4.shr_u(x, 16)), i32x4.splat(0x7feb352d));
  x = i32x4.mul(v128.xor(x, i32x4.shr_u(x, 15)), i32x4.splat(0x846ca68b));
  return v128.xor(x, i32x4.shr_u(x, 16));
}
