// The layout of records: the indices in the other modes, several in a word where they fit
// (engine/cpu/setup/place/packing.ts), the value, and the weight if entries have weights.
import { VIEW_FIELDS, VIEW_ORDER, VIEW_OTHERS, VIEW_STRIDE, VIEW_VALUE } from "../layout";

/** Bytes from one record to the next. */
@inline
export function strideOf(view: usize): usize {
  return <usize>load<u32>(view, VIEW_STRIDE);
}

/** Whether the entries of a view have weights. */
@inline
export function hasWeights(view: usize): bool {
  return load<u32>(view, VIEW_STRIDE) != load<u32>(view, VIEW_VALUE) + 4;
}

/** The offset of the value in a record. */
@inline
export function valueOf(view: usize): usize {
  return <usize>load<u32>(view, VIEW_VALUE);
}

/** The address of the field descriptor of another mode: its word, shift and mask in a record. */
@inline
export function fieldOf(view: usize, other: u32): usize {
  return view + (<usize>(VIEW_FIELDS * load<u32>(view, VIEW_ORDER) + other) << 2);
}

/** The offset in a record of the word of a field. */
@inline
export function wordOf(field: usize): usize {
  return <usize>load<u32>(field, VIEW_OTHERS);
}

/** How far a field is shifted in its word. */
@inline
export function shiftOf(view: usize, field: usize): u32 {
  return load<u32>(field + (<usize>load<u32>(view, VIEW_ORDER) << 2), VIEW_OTHERS);
}

/** The mask of a field after the shift. */
@inline
export function maskOf(view: usize, field: usize): u32 {
  return load<u32>(field + (<usize>load<u32>(view, VIEW_ORDER) << 3), VIEW_OTHERS);
}

/** w of a record, where there are weights: above 0, and 1 on average over all entries of the set. */
@inline
export function entryWeight(view: usize, record: usize): f32 {
  return load<f32>(record + strideOf(view) - 4);
}

/** The record after this one, in a window that wraps from its end to its begin. */
@inline
export function next(record: usize, stride: usize, begin: usize, end: usize): usize {
  const following = record + stride;
  return following == end ? begin : following;
}
