// What a step is to do. Every thread has its own instance of the module, and with it these globals.

export let kind: i32 = 0; // STEP_…, layout.ts
export let c: f64 = 1; // the share of each row's entries that is sampled
export let lambda: f32 = 0;
export let first: bool = true; // paper: l = 0, where Y_0 = A_0
export let skip: i32 = 0; // paper: for a bench, SKIP_…
export let momentum: f32 = 0; // gradient, newton: how far a row goes on in the direction of its last update
export let damping: f32 = 0; // newton: see newtonRow.ts

export function setPaperStep(sample: f64, weight: f32, isFirst: bool, skipped: i32): void {
  kind = 0;
  c = sample;
  lambda = weight;
  first = isFirst;
  skip = skipped;
}

export function setFastStep(stepKind: i32, sample: f64, weight: f32, momentumWeight: f32, dampingWeight: f32): void {
  kind = stepKind;
  c = sample;
  lambda = weight;
  momentum = momentumWeight;
  damping = dampingWeight;
}
