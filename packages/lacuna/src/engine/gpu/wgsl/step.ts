/** The parameters of a dispatch: a uniform in a slot of a buffer, as WGSL reads it and as it is written. */
import type { Shape } from '../shape.ts'

/** 32-bit words of Step before `others`. */
const WORDS = 28

/** Bytes of which dynamic offsets of uniforms must be multiples. */
export const SLOT_BYTES = 256

/** Bytes of the slot that holds one Step, for tensors of this order. */
export const slotBytes = (order: number): number =>
  Math.ceil((4 * (WORDS + 4 * otherQuads(order))) / SLOT_BYTES) * SLOT_BYTES

/**
 * Vectors of four for the first rows of the other modes: four at least, so that orders up to 17 share kernels
 * that do not depend on the order.
 */
const otherQuads = (order: number): number => Math.max(4, Math.ceil((order - 1) / 4))

/** The WGSL declaration of the struct Step and of the uniform `step` at binding 0. */
export const stepStruct = ({ order }: Pick<Shape, 'order'>): string => `
struct Step {
  stream: u32,       // the random stream of this AO iteration
  inner: u32,        // l
  mode: u32,         // i
  isPaper: u32,      // B is rounded down, and y is the momentum factor from l = 1 on
  sampleFraction: vec2<u32>, // c as a binary fraction, its high word first …
  isWhole: u32,      // … unless it is 1
  leastWindow: u32,  // the fewest sampled entries for which another segment of a row is visited
  lambda: f32,
  momentum: f32,
  damping: f32,
  base: u32,         // the segment whose sums come first
  firstSegment: u32, // the segments of this dispatch, counted over all modes
  endSegment: u32,
  firstRow: u32,     // the rows of this dispatch, counted over all modes
  endRow: u32,
  firstRecord: u32,  // the number, in its view, of the first record of the buffer
  count: u32,        // of rows, blocks or segments, where no range above gives it
  hasMomentumFactors: u32,
  quads: u32,        // vectors of four that a row has
  sigma2: f32,       // σ² of a step under a learned prior; the noise variance at a prediction y is …
  variance0: f32,    // … σ² (c₀ + c₁ y + c₂ y²), with GROWING
  variance1: f32,
  variance2: f32,
  leastMean: f32,    // the least y in that
  deviations: f32,   // standard deviations from which on the Huber loss is linear; 0: never
  flags: u32,        // GROWING, VARYING, FROZEN, CERTAIN
  unused: u32,
  others: array<vec4<u32>, ${otherQuads(order)}>, // the first row of each other mode, counted over all modes
}
@group(0) @binding(0) var<uniform> step: Step;
const GROWING = 1u; // the noise grows with the prediction
const VARYING = 2u; // the noise differs between rows
const FROZEN = 4u;  // rows stay as they are, and only their sums are computed
const CERTAIN = 8u; // rows are treated as certain
fn has(flag: u32) -> bool { return (step.flags & flag) != 0u; }`

/** The members of Step by name; omitted ones are 0, but `sample` and `leastWindow` are 1. */
export interface StepWords {
  stream?: number
  inner?: number
  mode?: number
  isPaper?: boolean
  /** c, the fraction of entries that is sampled. */
  sample?: number
  leastWindow?: number
  lambda?: number
  momentum?: number
  damping?: number
  base?: number
  /** firstSegment and endSegment. */
  segments?: readonly [number, number]
  /** firstRow and endRow. */
  rows?: readonly [number, number]
  firstRecord?: number
  count?: number
  hasMomentumFactors?: boolean
  quads?: number
  others?: readonly number[]
  posterior?: PosteriorWords
}

/** The members of Step that a step under a learned prior has. */
export interface PosteriorWords {
  sigma2: number
  /** c₀, c₁, c₂; undefined if the noise does not grow with the prediction. */
  variance?: readonly [number, number, number]
  leastMean: number
  deviations: number
  /** Whether the noise differs between rows. */
  isVarying: boolean
  isFrozen: boolean
  isCertain: boolean
}

/** Writes the parameters of a dispatch to a buffer, from byte `at` on. */
export function writeStep(buffer: ArrayBuffer, at: number, given: StepWords): void {
  const words = new Uint32Array(buffer, at, WORDS + (given.others?.length ?? 0))
  const numbers = new Float32Array(buffer, at, WORDS)
  const { sample = 1, segments = [0, 0], rows = [0, 0] } = given
  const [high, low] = fractionOf(sample)
  words.set([given.stream ?? 0, given.inner ?? 0, given.mode ?? 0, given.isPaper ? 1 : 0])
  words.set([high, low, sample >= 1 ? 1 : 0, given.leastWindow ?? 1], 4)
  numbers.set([given.lambda ?? 0, given.momentum ?? 0, given.damping ?? 0], 8)
  words.set([given.base ?? 0, ...segments, ...rows, given.firstRecord ?? 0, given.count ?? 0], 11)
  words.set([given.hasMomentumFactors ? 1 : 0, given.quads ?? 0], 18)
  if (given.others) words.set(given.others, WORDS)
  if (!given.posterior) return
  const { sigma2, variance, leastMean, deviations, isVarying, isFrozen, isCertain } = given.posterior
  numbers.set([sigma2, ...(variance ?? [1, 0, 0]), leastMean, deviations], 20)
  words[26] = [variance !== undefined, isVarying, isFrozen, isCertain].reduce(
    (flags, isSet, bit) => flags + (isSet ? 2 ** bit : 0),
    0,
  )
}

/**
 * c · 2⁶⁴, rounded down, as two words, the high one first; exact unless c is below 2⁻¹¹. All ones for c ≥ 1.
 */
export function fractionOf(c: number): readonly [number, number] {
  if (c >= 1) return [0xffffffff, 0xffffffff]
  const scaled = c * 2 ** 32
  const high = Math.floor(scaled)
  return [high, Math.floor((scaled - high) * 2 ** 32)]
}
