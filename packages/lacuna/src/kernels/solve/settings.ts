// The parameters of a step. Every thread has its own instance of the module, and with it these globals.

export let kind: i32 = 0; // STEP_…, layout.ts
export let c: f64 = 1; // the fraction of each row's entries that is sampled
export let lambda: f32 = 0;
export let first: bool = true; // paper: l = 0, where Y_0 = A_0
export let skip: i32 = 0; // paper: for a bench, SKIP_…
export let momentum: f32 = 0; // gradient, newton: β, by which a row is extrapolated in the direction of its last update
export let damping: f32 = 0; // newton: see newtonRow.ts

// posterior: see posterior.ts
export let rank: usize = 0; // R without padding
export let sigma2: f64 = 1; // σ²
export let isFrozen: bool = false; // measure only
export let isCertain: bool = false; // treat rows as certain: M = a aᵀ
export let isWeighted: bool = false;
export let variance0: f32 = 1; // the noise has variance σ² (variance0 + variance1 y + variance2 y²), y ≥ leastMean
export let variance1: f32 = 0;
export let variance2: f32 = 0;
export let leastMean: f32 = 0;
export let hasVariances: bool = false; // … times those of the entry's rows
export let mostDeviations: f32 = 0; // Huber loss: standard deviations from which on it is linear; 0: squared loss

/** Prepares a posterior step. */
export function setPosterior(trueRank: u32, noise: f64, frozen: bool, certain: bool): void {
  kind = 4;
  c = 1;
  lambda = 0;
  momentum = 0;
  damping = 0;
  rank = trueRank;
  sigma2 = noise;
  isFrozen = frozen;
  isCertain = certain;
}

/** Sets the noise model of a posterior step. */
export function setNoise(weighted: bool, constant: f32, linear: f32, quadratic: f32, least: f32): void {
  isWeighted = weighted;
  variance0 = constant;
  variance1 = linear;
  variance2 = quadratic;
  leastMean = least;
}

/** Sets whether noise differs between rows, and the Huber loss. */
export function setRowNoise(byRows: bool, deviations: f32): void {
  hasVariances = byRows;
  mostDeviations = deviations;
}

/** Prepares a step of Algorithm 1. */
export function setPaperStep(sample: f64, weight: f32, isFirst: bool, skipped: i32): void {
  kind = 0;
  c = sample;
  lambda = weight;
  first = isFirst;
  skip = skipped;
}

/** Prepares a gradient, newton or zeros step. */
export function setFastStep(stepKind: i32, sample: f64, weight: f32, momentumWeight: f32, dampingWeight: f32): void {
  kind = stepKind;
  c = sample;
  lambda = weight;
  momentum = momentumWeight;
  damping = dampingWeight;
}
