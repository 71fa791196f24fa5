// How threads, wasm and TypeScript see the shared memory. This file is valid in both languages: it is
// compiled into the kernels and into the engine, so that the two cannot disagree. All offsets are in bytes.

// The control block: what the threads share while they work.
export const CONTROL_NEXT_TASK = 0; // the number of the next task nobody has taken
export const CONTROL_ARRIVED = 64; // threads waiting at the barrier (each word on a cache line of its own)
export const CONTROL_GENERATION = 128; // how often the barrier has opened
export const CONTROL_THREADS = 192;
export const CONTROL_STOP = 196; // set by the main thread: end after this AO iteration
export const CONTROL_GO = 200; // what thread 0 has decided about going on, so that all threads agree
export const CONTROL_LOOKS = 204; // how often a thread looks whether the barrier has opened, before it sleeps
export const CONTROL_SLEEPERS = 256; // threads that sleep at the barrier
export const CONTROL_BYTES = 320;

// The description of a view: the entries that this part owns of a mode, the mode's factor and the other factors. A
// row's entries are one segment, or several where they are more than VIEW_SEGMENT (segments.ts).
export const VIEW_ORDER = 0; // N
export const VIEW_MODE = 4; // i, from 0
export const VIEW_FACTOR = 8; // U⁽ⁱ⁾ (P × R)
export const VIEW_MOMENTUM_FACTOR = 12; // (P × R): Y for the paper's step, U⁽ⁱ⁾ before its last update for the others; or 0
export const VIEW_ROW_LENGTHS = 16; // (P), how many entries each row has, in all parts together
export const VIEW_RECORD_START = 20; // (segments + 1), where the records of each segment begin
export const VIEW_RECORDS = 24; // records: the indices in the other modes (records.ts), the value, and the weight where there are weights
export const VIEW_CHUNKS = 28;
export const VIEW_CHUNK_COUNT = 32;
export const VIEW_SEGMENT = 36; // the most entries of a row that is one segment
export const VIEW_WINDOW = 40; // the fewest sampled entries for which another segment of a row is visited
export const VIEW_FIRST_ROW = 44; // the first row that has a segment here …
export const VIEW_FIRST_INDEX = 48; // … and which of its segments that is: above 0 if others have the ones before it
export const VIEW_LAST_ROW = 52; // the last row that has a segment here …
export const VIEW_END_INDEX = 56; // … and one past the last of its segments here
export const VIEW_EARLIER = 60; // entries of the first row that other parts have
export const VIEW_PARTIALS = 64; // sums over the segments of long rows
export const VIEW_ARRIVALS = 68; // per partial sum, whether one of two to be added is there
export const VIEW_SCALE = 72; // v (R), positive: see gradientRow.ts
export const VIEW_MEAN = 76; // (R), the mean of the rows that have entries: where λ draws a row to
export const VIEW_GRAM = 80; // (R × R), Σ k kᵀ over all cells of a row, where cells that are not listed are zeros; or 0
// Where a prior is learned (posterior.ts); else 0.
export const VIEW_MOMENTS = 84; // (P × R × R), E[a aᵀ] of each row: of its tiles, those on and above the diagonal
export const VIEW_LEVERAGES = 88; // (P), by how much of the value of an entry of weight 1 its prediction follows, on account of the row
export const VIEW_ROW_SUMS = 92; // (P × 3) in float64: see posterior.ts
export const VIEW_PRIOR = 96; // (R × R), σ² Σ⁻¹
export const VIEW_ROW_MEANS = 100; // (P × R), where the prior expects each row
export const VIEW_COUPLING_WEIGHTS = 104; // (P), how many times as precisely as σ² Σ⁻¹ it does
export const VIEW_VARIANCES = 108; // (P), how many times as noisy the entries of a row are as others
export const VIEW_STRIDE = 112; // bytes of a record
export const VIEW_VALUE = 116; // where in it the value is, after the indices; behind it, if anything, the weight
// The addresses of the other factors, N − 1 words; N words on, their moments; 2 N on, leverages; 3 N on, variances; and where the
// indices lie in a record: 4 N on, of which word, 5 N on, how far to the right, 6 N on, behind which mask.
export const VIEW_OTHERS = 128;
export const VIEW_FIELDS = 4;
export const VIEW_OTHER_TABLES = 7;

// A chunk: some whole rows, or one segment of a long row; about as many entries in each.
export const CHUNK_ROW = 0;
export const CHUNK_END_ROW = 4; // one past the last row; 0 marks a segment of row CHUNK_ROW
export const CHUNK_SEGMENT = 8; // the number of its (first) segment in this part
export const CHUNK_INDEX = 12; // a segment: which of its row's
export const CHUNK_PARTIAL = 16; // a segment: where its sums go
export const CHUNK_BYTES = 20;

// The kinds of step.
export const STEP_PAPER = 0; // Algorithm 1
export const STEP_GRADIENT = 1; // a gradient step under a diagonal bound of H
export const STEP_NEWTON = 2; // coordinate descent on the row's quadratic
export const STEP_ZEROS = 3; // the same, over all cells of the row: those that are not listed are zeros
export const STEP_POSTERIOR = 4; // all entries, a prior that is learned, and what is left uncertain

// Where entries lie by the cells of a grid of blocks of rows (strata.ts): the description, in words.
export const STRATA_ORDER = 0; // N
export const STRATA_BLOCKS = 4; // g, of every mode
export const STRATA_SHIFT = 8; // log₂ g
export const STRATA_CELLS = 12; // (gᴺ + 1), where the records of each cell begin: by block of the first mode, then by stratum
export const STRATA_RECORDS = 16; // records: the rows' places in the order of the blocks, N words, and the value
export const STRATA_TURNS = 20; // (N × g), how many strata each block has had
export const STRATA_FACTORS = 24; // N addresses: the factors, their rows in the order of the blocks
export const STRATA_TURN_BYTES = 64; // each on a cache line of its own

// Where cells that are not listed are zeros, this value, −0, marks one that is listed as unknown. Values have no −0.
export const UNKNOWN_BITS = 0x80000000;

// What a bench may leave out of the paper's step to see what it costs.
export const SKIP_POWER_METHOD = 1;
export const SKIP_HESSIAN = 2;
export const SKIP_ROWS = 4; // all of it: what is left is handing out chunks

// Entries that are hashed, counted and placed at a time.
export const LOADED_AT_A_TIME = 8192;

// Whole numbers are added up in two halves, each exact: what is beyond so many units, and the units that are left.
export const HALF_UNITS = 33554432.0; // 2²⁵

// Predictions are sorted into so many bins to see how the noise grows with them.
export const NOISE_BINS = 64;

// Sums over the products of a factor's columns are made of sums over at most so many blocks of rows.
export const MOST_GRAM_BLOCKS = 64;

// Sums over a factor's rows are made of sums over blocks of so many rows, each in float32, added in order in float64.
export const BLOCK_ROWS = 64;

// The best rows for many questions (top.ts): the description of the work, in words.
export const TOP_LENGTH = 0; // components
export const TOP_QUESTION_COUNT = 4;
export const TOP_COUNT = 8; // rows
export const TOP_MOST = 12; // rows that answer a question
export const TOP_QUESTIONS = 16; // (questions × components), room for a multiple of four
export const TOP_TILES = 20; // (rows / 8 × components × 8)
export const TOP_EXCLUDED_START = 24; // (questions + 1), where each question's excluded rows begin
export const TOP_EXCLUDED = 28;
export const TOP_BEST = 32; // (questions × most)
export const TOP_SCORES = 36; // (questions × most), −1 at first
export const TOP_BYTES = 64;
// Questions that a thread takes at a time, and rows that they pass over together: of 20 components, 40 kB.
export const TOP_TASK_QUESTIONS = 64;
export const TOP_ROWS_AT_A_TIME = 512;
