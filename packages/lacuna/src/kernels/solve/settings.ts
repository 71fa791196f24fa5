// The parameters of a step. Every thread has its own instance of the module, and with it these globals.

export let kind: i32 = 0; // STEP_…, layout.ts
export let c: f64 = 1; // the fraction of each row's entries that is sampled
export let lambda: f32 = 0;
export let isFirstInner: bool = true; // paper: l = 0, where Y_0 = A_0
export let skip: i32 = 0; // paper: the parts that a benchmark leaves out, SKIP_… (layout.ts)
export let momentum: f32 = 0; // gradient, newton: β, by which a row is extrapolated in the direction of its last update
export let damping: f32 = 0; // newton: see newtonRow.ts

// posterior: see posterior.ts
export let rank: usize = 0; // R without padding
export let sigma2: f64 = 1; // σ²
export let isFrozen: bool = false; // rows stay, and only sums are measured
export let isCertain: bool = false; // treat rows as certain: M = a aᵀ
export let isGrouped: bool = false; // covariances are those of groups of rows: groups.ts
export let isWeighted: bool = false; // whether the noise variance grows with the prediction, by the polynomial below
export let variance0: f32 = 1; // the noise has variance σ² (variance0 + variance1 y + variance2 y²), y ≥ leastMean
export let variance1: f32 = 0;
export let variance2: f32 = 0;
export let leastMean: f32 = 0;
export let hasVariances: bool = false; // whether the noise variance is multiplied by those of the entry's rows
export let mostDeviations: f32 = 0; // Huber loss: standard deviations from which on it is linear; 0: squared loss

/**
 * Sets the parameters of posterior steps, for all entries.
 * @param trueRank R without padding
 * @param noise σ²
 * @param frozen whether rows stay, and only sums are measured
 * @param certain whether posterior covariances are ignored: M = a aᵀ
 * @param grouped whether covariances are those of groups of rows
 */
export function setPosterior(trueRank: u32, noise: f64, frozen: bool, certain: bool, grouped: bool): void {
  kind = 4;
  c = 1;
  lambda = 0;
  momentum = 0;
  damping = 0;
  rank = trueRank;
  sigma2 = noise;
  isFrozen = frozen;
  isCertain = certain;
  isGrouped = grouped;
}

/**
 * Sets the noise model of posterior steps: the variance σ² (constant + linear y + quadratic y²), with y the
 * prediction, but at least `least`.
 * @param weighted whether it is used; else the variance is σ²
 */
export function setNoise(weighted: bool, constant: f32, linear: f32, quadratic: f32, least: f32): void {
  isWeighted = weighted;
  variance0 = constant;
  variance1 = linear;
  variance2 = quadratic;
  leastMean = least;
}

/**
 * Sets two more parameters of the noise of posterior steps.
 * @param byRows whether the variance is multiplied by those of the entry's rows (VIEW_VARIANCES)
 * @param deviations standard deviations from which on the Huber loss is linear; 0: squared loss
 */
export function setRowNoise(byRows: bool, deviations: f32): void {
  hasVariances = byRows;
  mostDeviations = deviations;
}

/**
 * Sets the parameters of steps of Algorithm 1.
 * @param sample c
 * @param weight λ
 * @param isFirst whether l = 0
 * @param skipped SKIP_… (layout.ts)
 */
export function setPaperStep(sample: f64, weight: f32, isFirst: bool, skipped: i32): void {
  kind = 0;
  c = sample;
  lambda = weight;
  isFirstInner = isFirst;
  skip = skipped;
}

/**
 * Sets the parameters of gradient, newton and zeros steps.
 * @param stepKind STEP_… (layout.ts)
 * @param sample c
 * @param weight λ
 * @param momentumWeight β
 */
export function setFastStep(stepKind: i32, sample: f64, weight: f32, momentumWeight: f32, dampingWeight: f32): void {
  kind = stepKind;
  c = sample;
  lambda = weight;
  momentum = momentumWeight;
  damping = dampingWeight;
}
