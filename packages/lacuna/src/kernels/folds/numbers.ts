// Numbers of cells and fibers, so that values of them are held in arrays.
import { addressAt, setU32, u32At } from "./memory";

/**
 * Writes the positions (u64) of `count` entries' cells in row-major order.
 * columns (order): the addresses of the columns of indices. strides (order, u64): of the modes.
 */
export function positionsOf(columns: usize, strides: usize, order: u32, count: u32, out: usize): void {
  for (let mode: u32 = 0; mode < order; mode++) {
    const column = addressAt(columns, mode);
    const stride = load<u64>(strides + (<usize>mode << 3));
    for (let e: u32 = 0; e < count; e++) {
      const at = out + (<usize>e << 3);
      store<u64>(at, (mode == 0 ? 0 : load<u64>(at)) + stride * <u64>u32At(column, e));
    }
  }
}

/** Writes the positions (u64) of the fibers along a mode that contain cells, given by their positions. */
export function fiberPositions(positions: usize, count: u32, stride: u64, dim: u64, out: usize): void {
  const block = stride * dim;
  for (let at: usize = 0; at < <usize>count << 3; at += 8) {
    const position = load<u64>(positions + at);
    store<u64>(out + at, (position / block) * stride + (position % stride));
  }
}

/**
 * Numbers cells or fibers by their positions (u64), which fit in u32 here: writes each position as its number.
 */
export function numberByPosition(positions: usize, count: u32, out: usize): void {
  for (let e: u32 = 0; e < count; e++) setU32(out, e, <u32>load<u64>(positions + (<usize>e << 3)));
}

/**
 * Numbers positions in the order of their first occurrences; returns how many there are.
 * slots (mask + 1): all 0. keys: receives the positions (u64) by number.
 */
export function numberByHash(
  positions: usize, count: u32, slots: usize, mask: u32, keys: usize, out: usize,
): u32 {
  let numbered: u32 = 0;
  for (let e: u32 = 0; e < count; e++) {
    const position = load<u64>(positions + (<usize>e << 3));
    const slot = slotOf(position, slots, mask, keys);
    if (u32At(slots, slot) == 0) {
      store<u64>(keys + (<usize>numbered << 3), position);
      setU32(slots, slot, ++numbered);
    }
    setU32(out, e, u32At(slots, slot) - 1);
  }
  return numbered;
}

/**
 * The slot of a position in a hash table with open addressing, or the free one where it belongs. A slot has 1
 * + the number of its position; free ones have 0.
 */
export function slotOf(position: u64, slots: usize, mask: u32, keys: usize): u32 {
  let slot = <u32>((position * 0x9e3779b97f4a7c15) >> 32) & mask;
  let number = u32At(slots, slot);
  while (number != 0 && load<u64>(keys + (<usize>(number - 1) << 3)) != position) {
    slot = (slot + 1) & mask;
    number = u32At(slots, slot);
  }
  return slot;
}
