// The layout of the shared memory, for the kernels and for TypeScript. This file is valid in both languages:
// it is compiled into the kernels and into the engine, so that the two cannot disagree. All offsets are in
// bytes.

// The control block: what the threads share while they work.
export const CONTROL_NEXT_TASK = 0; // the number of the next task
export const CONTROL_ARRIVED = 64; // threads waiting at the barrier (each word on a cache line of its own)
export const CONTROL_GENERATION = 128; // how often the barrier has opened
export const CONTROL_THREADS = 192; // the number of threads
export const CONTROL_STOP = 196; // the number of processes that ask to end after this AO iteration
export const CONTROL_GO = 200; // the decision of thread 0 to continue or stop, so that all threads agree
export const CONTROL_SPINS = 204; // how often a thread checks the barrier before it sleeps
export const CONTROL_NAP = 208; // (i32) the nanoseconds of a sleep at the barrier; below 0, until it is notified
export const CONTROL_SLEEPERS = 256; // threads that sleep at the barrier
export const CONTROL_BYTES = 320;

// The description of a view: the entries of a mode that this partition owns, the mode's factor and the other
// factors. The entries of a row are one segment, or several if they are more than VIEW_SEGMENT
// (engine/cpu/setup/place/segments.ts).
export const VIEW_ORDER = 0; // N
export const VIEW_MODE = 4; // i, from 0
export const VIEW_FACTOR = 8; // U⁽ⁱ⁾ (P × R)
export const VIEW_MOMENTUM_FACTOR = 12; // (P × R): Y for the paper's step, U⁽ⁱ⁾ before its last update for the others; or 0
export const VIEW_ROW_LENGTHS = 16; // (P), entries of each row in all partitions
export const VIEW_RECORD_START = 20; // (segments + 1), where the records of each segment begin
export const VIEW_RECORDS = 24; // records: the indices in the other modes (records.ts), the value, and the weight where there are weights
export const VIEW_CHUNKS = 28; // the descriptions of the chunks, CHUNK_BYTES each
export const VIEW_CHUNK_COUNT = 32; // the number of chunks
export const VIEW_SEGMENT = 36; // the most entries of a row that is one segment
export const VIEW_WINDOW = 40; // the fewest sampled entries for which another segment of a row is visited
export const VIEW_FIRST_ROW = 44; // the first row that has a segment in this partition
export const VIEW_FIRST_INDEX = 48; // the index of that segment in VIEW_FIRST_ROW: above 0 if other partitions have those before it
export const VIEW_LAST_ROW = 52; // the last row that has a segment in this partition
export const VIEW_END_INDEX = 56; // one past the index of the last segment of VIEW_LAST_ROW in this partition
export const VIEW_EARLIER = 60; // entries of VIEW_FIRST_ROW in earlier partitions
export const VIEW_PARTIALS = 64; // sums over the segments of long rows
export const VIEW_ARRIVALS = 68; // per partial sum, whether one of two neighbours is finished
export const VIEW_SCALE = 72; // v (R), positive: see gradientRow.ts
export const VIEW_MEAN = 76; // (R), the mean of the rows that have entries: λ shrinks rows towards it
export const VIEW_GRAM = 80; // (R × R), Σ k kᵀ over all cells of a row, where unlisted cells are zeros; or 0
// Where a prior is learned (posterior.ts); else 0.
export const VIEW_MOMENTS = 84; // (P × R × R), E[a aᵀ] of each row; or (slots × R × R), V of the sampled rows (groups.ts): of its tiles, those on and above the diagonal
export const VIEW_LEVERAGES = 88; // (P), the fraction of the value of an entry of weight 1 that its prediction follows because of the row
export const VIEW_ROW_SUMS = 92; // (P × 3) in float64: see posteriorRow.ts
export const VIEW_PRIOR = 96; // (R × R), σ² Σ⁻¹
export const VIEW_ROW_MEANS = 100; // (P × R), the prior mean of each row
export const VIEW_COUPLING_WEIGHTS = 104; // (P), t: the prior precision of each row in units of Σ⁻¹
export const VIEW_VARIANCES = 108; // (P), the noise variance of each row's entries, in units of σ²
export const VIEW_STRIDE = 112; // bytes of a record
export const VIEW_VALUE = 116; // offset of the value in a record, after the indices; the weight, if any, follows
export const VIEW_SLOTS = 120; // (P + 1), the sampled rows before each row, where covariances are those of groups; else 0
// Eight tables of N − 1 words, N words apart: the addresses of the other factors, of their moments (or of the
// covariances of their groups), leverages, variances and groups; and of the fields of a record (VIEW_FIELDS
// tables on) the word, the shift and the mask.
export const VIEW_OTHERS = 128;
export const VIEW_FIELDS = 5;
export const VIEW_OTHER_TABLES = 8;

// A chunk: some whole rows, or one segment of a long row; about as many entries in each.
export const CHUNK_ROW = 0; // the first row, or the row of the segment
export const CHUNK_END_ROW = 4; // one past the last row; 0 marks a segment of row CHUNK_ROW
export const CHUNK_SEGMENT = 8; // the number of its (first) segment in this partition
export const CHUNK_INDEX = 12; // of a segment: its index among its row's segments
export const CHUNK_PARTIAL = 16; // of a segment: the slot of its sums in VIEW_PARTIALS
export const CHUNK_BYTES = 20;

// The kinds of step.
export const STEP_PAPER = 0; // Algorithm 1
export const STEP_GRADIENT = 1; // a gradient step under a diagonal bound of H
export const STEP_NEWTON = 2; // coordinate descent on the row's quadratic
export const STEP_ZEROS = 3; // STEP_NEWTON over all cells of the row: unlisted ones are zeros
export const STEP_POSTERIOR = 4; // all entries, a learned prior, and posterior covariances

// The description of the grid of stratified SGD (strata.ts).
export const STRATA_ORDER = 0; // N
export const STRATA_BLOCKS = 4; // g, the number of blocks of every mode
export const STRATA_SHIFT = 8; // log₂ g
export const STRATA_CELLS = 12; // (gᴺ + 1), where the records of each cell begin: by block of the first mode, then by stratum
export const STRATA_RECORDS = 16; // records: the positions of the rows in the order of the blocks, N words, and the value
export const STRATA_TURNS = 20; // (N × g), the number of strata that each block has been through
// Three tables of N addresses: the factors, their rows in the order of the blocks; the block of each row (P); and its
// position in that order (P).
export const STRATA_FACTORS = 24;
export const STRATA_TABLES = 3;
export const STRATA_TURN_BYTES = 64; // each on a cache line of its own

// Where unlisted cells are zeros, this value, −0, marks a listed cell as unknown. Values have no −0.
export const UNKNOWN_BITS = 0x80000000;

// Parts of the paper's step that a benchmark leaves out to measure their cost.
export const SKIP_POWER_METHOD = 1;
export const SKIP_HESSIAN = 2;

// Entries that are hashed, counted and placed at a time.
export const LOADED_AT_A_TIME = 8192;

// Whole numbers are added in two halves, each exact: multiples of this many units, and the remaining units.
export const HALF_UNITS = 33554432.0; // 2²⁵

// Bins of predictions, in which the growth of the noise with the prediction is measured.
export const NOISE_BINS = 64;

// Groups of rows by their number of entries, in half-octaves, whose posterior covariances are averaged.
export const GROUPS = 24;

// Most blocks of rows over which products of a factor's columns are summed.
export const MOST_GRAM_BLOCKS = 64;

// Rows per block of sums over a factor's rows: each block in float32, added in order in float64.
export const BLOCK_ROWS = 64;

// The description of the work of top.ts: the best rows for many questions.
export const TOP_LENGTH = 0; // components of a question and of a row
export const TOP_QUESTION_COUNT = 4; // the number of questions
export const TOP_COUNT = 8; // the number of rows
export const TOP_MOST = 12; // the most answers per question
export const TOP_QUESTIONS = 16; // (questions × components), room for a multiple of four
export const TOP_TILES = 20; // (rows / 8 × components × 8)
export const TOP_EXCLUDED_START = 24; // (questions + 1), where each question's excluded rows begin
export const TOP_EXCLUDED = 28; // the excluded rows of each question, ascending
export const TOP_BEST = 32; // (questions × most), the best rows, best first
export const TOP_SCORES = 36; // (questions × most), their scores; −1 before there is an answer
export const TOP_BYTES = 64;
// Questions per task, and rows that they pass over together: 40 kB at 20 components.
export const TOP_TASK_QUESTIONS = 64;
export const TOP_ROWS_AT_A_TIME = 512;
