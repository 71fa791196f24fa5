// The structures that describe a sample: they lie in a thread's scratch (scratch.ts).

@unmanaged
/** A position in the records of a segment; after the last record the first follows. */
export class Window {
  begin: usize; // the address of the segment's first record
  end: usize; // the end of its records; 0: the window does not wrap
  at: usize; // the address of the next record
}

@unmanaged
/** The sample of a row that has several segments: some windows, at most one per segment (sample.ts). */
export class LongSample {
  draws: u32; // the stream of the draws within the row
  nnz: u32; // entries of the row in all partitions
  sampled: u32; // B
  segments: u32; // segments of the row in all partitions
  windows: u32; // windows of the row in all partitions
  offset: u32; // where the evenly spaced windows begin, or, if every segment has one, how their sizes are rounded
  here: u32; // the index of the row's first segment in this partition
  from: u32; // the first window in this partition
  to: u32; // one past the last window in this partition
  shared: bool; // whether other partitions have segments of the row
}
