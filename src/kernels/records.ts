// How records lie: the indices in the other modes, the value, and, where entries have weights, the weight.
import { VIEW_ORDER, VIEW_STRIDE } from "./layout";

/** Bytes from one record to the next. */
@inline
export function strideOf(view: usize): usize {
  return <usize>load<u32>(view, VIEW_STRIDE);
}

@inline
export function hasWeights(view: usize): bool {
  return load<u32>(view, VIEW_STRIDE) != load<u32>(view, VIEW_ORDER) << 2;
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
