/** WGSL that several kernels share: the random numbers of base/random.ts, and arithmetic on two words. */

/** packages/lacuna/src/base/random.ts in WGSL: same functions, same bits. Needs `wideArithmetic`. */
export const random = `
fn mixed(word: u32) -> u32 {
  var x = (word ^ (word >> 16u)) * 0x7feb352du;
  x = (x ^ (x >> 15u)) * 0x846ca68bu;
  return x ^ (x >> 16u);
}
fn extend(key: u32, word: u32) -> u32 { return mixed(mixed(key ^ word) + 0x9e3779b9u); }
fn draw(key: u32, counter: u32) -> u32 { return mixed(mixed(key ^ counter) + key * 0x85ebca6bu); }
fn hashIndex(hash: u32, index: u32) -> u32 {
  let h = (hash ^ index) * 0x9e3779b1u;
  return (h ^ (h >> 15u)) + 0x7feb352du;
}
fn below(bits: u32, n: u32) -> u32 { return wideProduct(bits, n).x; }
`

/** Arithmetic on numbers of two words, the high word first. */
export const wideArithmetic = `
fn wideProduct(a: u32, b: u32) -> vec2<u32> {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
  return vec2((a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u), (second << 16u) | (low & 0xffffu));
}
fn plus(a: vec2<u32>, b: u32) -> vec2<u32> {
  let low = a.y + b;
  return vec2(a.x + select(0u, 1u, low < b), low);
}
fn minus(a: vec2<u32>, b: u32) -> vec2<u32> { return vec2(a.x - select(0u, 1u, a.y < b), a.y - b); }

/** a / d, if that is below 2³²; d below 2³¹. */
fn quotientOf(a: vec2<u32>, d: u32) -> u32 {
  if (a.x == 0u) { return a.y / d; }
  var rest = a.x % d;
  var result = 0u;
  for (var bit = 0u; bit < 32u; bit++) {
    rest = (rest << 1u) | ((a.y >> (31u - bit)) & 1u);
    result <<= 1u;
    if (rest >= d) {
      rest -= d;
      result |= 1u;
    }
  }
  return result;
}

/** ⌊(a b + c) / d⌋ */
fn quotient(a: u32, b: u32, c: u32, d: u32) -> u32 { return quotientOf(plus(wideProduct(a, b), c), d); }
`
