// Finds entries with the same coordinates. The host has the hashes of all entries. The range of hashes is
// divided into buckets that fit in the cache; each thread passes over all hashes, scatters those of its own
// buckets, and compares within each bucket; only where hashes are equal does the host compare the
// coordinates.

@external("host", "isSame")
/** Asks the host whether entries number a and b have the same coordinates. */
declare function isSame(a: u32, b: u32): bool;

/**
 * Writes the hashes of the coordinates of `count` entries to `out`, rounded up to a multiple of four.
 * columns: the indices in each of `order` modes, `stride` bytes apart.
 */
export function hashEntries(columns: usize, stride: usize, order: u32, count: u32, out: usize): void {
  const factor = i32x4.splat(0x85ebca6b);
  const last = i32x4.splat(0xc2b2ae35);
  for (let at: usize = 0; at < <usize>count << 2; at += 16) {
    let hash = i32x4.splat(0);
    let column = columns + at;
    for (let mode: u32 = 0; mode < order; mode++) {
      hash = i32x4.mul(v128.xor(hash, v128.load(column)), factor);
      hash = v128.xor(hash, i32x4.shr_u(hash, 15));
      column += stride;
    }
    hash = i32x4.mul(hash, last);
    v128.store(out + at, v128.xor(hash, i32x4.shr_u(hash, 16)));
  }
}

@inline
/** The bucket of a hash: buckets divide the range of hashes evenly. */
function bucketOf(hash: u32, buckets: u32): u32 { return <u32>((<u64>hash * <u64>buckets) >> 32); }

/** Adds `count` hashes to the counters of their buckets: counts (buckets). */
export function countBuckets(hashes: usize, count: u32, buckets: u32, counts: usize): void {
  const end = hashes + (<usize>count << 2);
  for (let at = hashes; at < end; at += 4) {
    const counter = counts + (<usize>bucketOf(load<u32>(at), buckets) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
}

/**
 * Scatters those of `count` hashes that are in the `own` buckets from `first` on, each with the number of its
 * entry, to `scattered` (hash and number). next (own + 1): the next position of each own bucket, advanced
 * here. The bucket of a hash cannot be predicted by the processor, so that there is no branch: all other
 * hashes are written to the one position next[own], behind the buckets.
 * @param buckets the number of all buckets
 * @param number that of the first hash's entry
 */
export function scatterToBuckets(
  hashes: usize, count: u32, buckets: u32, first: u32, own: u32, next: usize, number: u32, scattered: usize,
): void {
  const end = hashes + (<usize>count << 2);
  for (let at = hashes; at < end; at += 4) {
    const hash = load<u32>(at);
    const bucket = min(bucketOf(hash, buckets) - first, own);
    const position = next + (<usize>bucket << 2);
    const to = load<u32>(position);
    store<u32>(position, to + u32(bucket < own));
    store<u64>(scattered + (<usize>to << 3), <u64>hash | (<u64>number << 32));
    number++;
  }
}

/**
 * Whether two of the scattered entries from … to − 1, those of a bucket, have the same coordinates. slots:
 * room for a hash table of mask + 1 words, a power of two and more than there are entries.
 */
export function hasDuplicate(scattered: usize, from: u32, to: u32, slots: usize, mask: u32): bool {
  memory.fill(slots, 0, (<usize>mask + 1) << 2);
  for (let entry = from; entry < to; entry++) {
    const own = load<u64>(scattered + (<usize>entry << 3));
    let slot = <u32>own & mask;
    for (;;) {
      const address = slots + (<usize>slot << 2);
      const found = load<u32>(address);
      if (found == 0) {
        store<u32>(address, entry - from + 1);
        break;
      }
      const other = load<u64>(scattered + (<usize>(from + found - 1) << 3));
      if (<u32>other == <u32>own && isSame(<u32>(other >> 32), <u32>(own >> 32))) return true;
      slot = (slot + 1) & mask;
    }
  }
  return false;
}
