// Digits, eight at a time and without branches: the length of a number cannot be predicted by the processor.

/** Eight characters '0'. */
const ZEROS: u64 = 0x3030303030303030;

@inline
/** Whether a byte is a digit 0 … 9 in ASCII. */
export function isDigit(c: u32): bool { return c - 48 <= 9; }

@inline
/** The number of digits, 0 … 8, before the first other byte of eight; the first byte is the lowest. */
export function countLeadingDigits(bytes: u64): usize {
  const x = bytes ^ ZEROS; // a digit becomes 0 … 9, anything else more
  const others = ((x + 0x7676767676767676) | x) & 0x8080808080808080; // the first of them is right: a carry goes up only
  return <usize>(ctz(others) >> 3);
}

@inline
/** The number that the first `count` of eight bytes are in decimal digits, 1 ≤ count ≤ 8. */
export function parseDigits(bytes: u64, count: usize): u32 {
  let x = (bytes ^ ZEROS) << (64 - (<u64>count << 3)); // zeros in front
  x = x * 10 + (x >> 8); // pairs
  const fours = (x & 0x000000ff000000ff) * 0x000f424000000064;
  const others = ((x >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  return <u32>((fours + others) >> 32);
}
