// The layout of records: the indices in the other modes, several in a word where they fit
// (engine/cpu/setup/place/packing.ts), the value, and the weight if entries have weights.
import { VIEW_FIELDS, VIEW_ORDER, VIEW_OTHERS, VIEW_STRIDE, VIEW_VALUE } from "../layout";

@inline
/** Bytes from one record to the next. */
export function strideOf(view: usize): usize {
  return <usize>load<u32>(view, VIEW_STRIDE);
}

@inline
/** Whether the records of a view end with the entry's weight. */
export function hasWeights(view: usize): bool {
  return load<u32>(view, VIEW_STRIDE) != load<u32>(view, VIEW_VALUE) + 4;
}

@inline
/** The offset in bytes of the value in a record. */
export function valueOffset(view: usize): usize {
  return <usize>load<u32>(view, VIEW_VALUE);
}

@inline
/**
 * The address to give wordOffset, shiftOf and maskOf for the index in the other-th of the other modes: its
 * field in a record is described by three tables of the view (layout.ts).
 */
export function fieldBase(view: usize, other: u32): usize {
  return view + (<usize>(VIEW_FIELDS * load<u32>(view, VIEW_ORDER) + other) << 2);
}

@inline
/** The offset in bytes of the word of a record that contains a field. field: a fieldBase. */
export function wordOffset(field: usize): usize {
  return <usize>load<u32>(field, VIEW_OTHERS);
}

@inline
/** The number of bits below a field in its word. field: a fieldBase. */
export function shiftOf(view: usize, field: usize): u32 {
  return load<u32>(field + (<usize>load<u32>(view, VIEW_ORDER) << 2), VIEW_OTHERS);
}

@inline
/** The mask of a field, to be applied after the shift to the right. field: a fieldBase. */
export function maskOf(view: usize, field: usize): u32 {
  return load<u32>(field + (<usize>load<u32>(view, VIEW_ORDER) << 3), VIEW_OTHERS);
}

@inline
/**
 * The weight of a record, in a view that has weights: above 0, and 1 on average over all entries of the set.
 */
export function entryWeight(view: usize, record: usize): f32 {
  return load<f32>(record + strideOf(view) - 4);
}

@inline
/**
 * The address of the record after this one in a segment that begins at `begin` and ends at `end`; `begin` if
 * there is none, since windows wrap around.
 */
export function nextRecord(record: usize, stride: usize, begin: usize, end: usize): usize {
  const following = record + stride;
  return following == end ? begin : following;
}
