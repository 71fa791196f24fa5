// Whether entries have the same coordinates. Hashes of all entries lie with the host. A thread looks through
// them for those of its own share of all hashes, deals these to parts that fit in the cache, and compares
// within the parts; only where hashes are equal does the host look at the coordinates.

@external("host", "isSame")
/** Whether two entries have the same coordinates. */
declare function isSame(a: u32, b: u32): bool;

/**
 * Hashes the coordinates of `count` entries, whose columns lie `stride` bytes apart; a multiple of four is
 * written.
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
/** The part of all that a hash belongs to. */
function partOf(hash: u32, parts: u32): u32 { return <u32>((<u64>hash * <u64>parts) >> 32); }

/** Counts how many of `count` hashes belong to each part. */
export function countParts(hashes: usize, count: u32, parts: u32, counts: usize): void {
  const end = hashes + (<usize>count << 2);
  for (let at = hashes; at < end; at += 4) {
    const place = counts + (<usize>partOf(load<u32>(at), parts) << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
}

/**
 * Of `count` hashes, puts those of the `own` parts from `first` on, and the numbers of their entries from
 * `number` on, where each part has its next place. Whose a hash is no processor can predict, so that there is
 * no branch for it: others go into the one place that comes behind.
 */
export function dealOwn(
  hashes: usize, count: u32, parts: u32, first: u32, own: u32, next: usize, number: u32, dealt: usize,
): void {
  const end = hashes + (<usize>count << 2);
  for (let at = hashes; at < end; at += 4) {
    const hash = load<u32>(at);
    const part = min(partOf(hash, parts) - first, own);
    const place = next + (<usize>part << 2);
    const to = load<u32>(place);
    store<u32>(place, to + u32(part < own));
    store<u64>(dealt + (<usize>to << 3), <u64>hash | (<u64>number << 32));
    number++;
  }
}

/**
 * Whether two of the entries dealt from … to − 1 are the same; `slots` has room for mask + 1 numbers, more
 * than there are entries.
 */
export function findSame(dealt: usize, from: u32, to: u32, slots: usize, mask: u32): bool {
  memory.fill(slots, 0, (<usize>mask + 1) << 2);
  for (let entry = from; entry < to; entry++) {
    const own = load<u64>(dealt + (<usize>entry << 3));
    let slot = <u32>own & mask;
    for (;;) {
      const place = slots + (<usize>slot << 2);
      const found = load<u32>(place);
      if (found == 0) {
        store<u32>(place, entry - from + 1);
        break;
      }
      const other = load<u64>(dealt + (<usize>(from + found - 1) << 3));
      if (<u32>other == <u32>own && isSame(<u32>(other >> 32), <u32>(own >> 32))) return true;
      slot = (slot + 1) & mask;
    }
  }
  return false;
}
