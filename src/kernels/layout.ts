// How threads, wasm and TypeScript see the shared memory. This file is valid in both languages: it is
// compiled into the kernels and into the engine, so that the two cannot disagree. All offsets are in bytes.

// The control block: what the threads share while they work.
export const CONTROL_NEXT_TASK = 0; // the number of the next task nobody has taken
export const CONTROL_ARRIVED = 64; // threads waiting at the barrier (each word on a cache line of its own)
export const CONTROL_GENERATION = 128; // how often the barrier has opened
export const CONTROL_THREADS = 192;
export const CONTROL_STOP = 196; // set by the main thread: end after this AO iteration
export const CONTROL_GO = 200; // what thread 0 read from STOP, so that all threads agree
export const CONTROL_BYTES = 256;

// The description of a mode: where its view, its factor and the other factors lie, and how its work is cut.
export const MODE_ORDER = 0; // N
export const MODE_FACTOR = 4; // U⁽ⁱ⁾ (P × R)
export const MODE_COMPANION = 8; // (P × R): Y for the paper's step, U⁽ⁱ⁾ before its last update for the others; or 0
export const MODE_ROW_START = 12; // (P + 1) entry numbers
export const MODE_RECORDS = 16; // nnz records of N words: the indices in the other modes, then the value
export const MODE_TASKS = 20;
export const MODE_TASK_COUNT = 24;
export const MODE_SPLITS = 28;
export const MODE_PARTIALS = 32;
export const MODE_SCALE = 36; // v (R), positive: see gradientRow.ts
export const MODE_MEAN = 40; // (R), the mean of the rows that have entries: where λ draws a row to
export const MODE_OTHERS = 64; // the addresses of the other factors, N − 1 words

// A task: some whole rows, or a part of the sample of one long row.
export const TASK_ROW = 0;
export const TASK_END_ROW = 4; // one past the last row; 0 marks a part of row TASK_ROW
export const TASK_FROM = 8; // a part: from this position of the row's sample …
export const TASK_TO = 12; // … to this one
export const TASK_PARTIAL = 16; // a part: where its partial sums go
export const TASK_SPLIT = 20; // a part: its row's split
export const TASK_BYTES = 24;

// A split: a row too long for one task.
export const SPLIT_FIRST_PARTIAL = 0;
export const SPLIT_PARTS = 4;
export const SPLIT_DONE = 8; // parts that are done
export const SPLIT_BYTES = 12;

// The kinds of step.
export const STEP_PAPER = 0; // Algorithm 1
export const STEP_GRADIENT = 1; // a gradient step under a diagonal bound of H
export const STEP_NEWTON = 2; // coordinate descent on the row's quadratic

// What a bench may leave out of the paper's step to see what it costs.
export const SKIP_POWER_METHOD = 1;
export const SKIP_HESSIAN = 2;
