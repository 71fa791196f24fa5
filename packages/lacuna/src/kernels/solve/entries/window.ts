// The structures that describe a sample: they lie in a thread's scratch (scratch.ts).

/** A window of a segment's records, which wraps from the segment's end to its begin. */
@unmanaged
export class Window {
  begin: usize; // the segment's records
  end: usize; // 0: the window does not wrap
  at: usize; // the next record
}

/** The sample of a long row. */
@unmanaged
export class LongSample {
  draws: u32; // the stream of the draws within the row
  nnz: u32; // entries of the row in all partitions
  sampled: u32; // B
  segments: u32;
  windows: u32;
  offset: u32; // where the evenly spaced windows begin, or, if every segment has one, how their sizes are rounded
  here: u32; // the first of the row's segments in this partition …
  from: u32; // … and its windows, from … to
  to: u32;
  shared: bool; // whether other partitions have segments of the row
}
