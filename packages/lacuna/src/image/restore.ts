/**
 * Fills the holes of a picture, by default in three steps:
 *
 * 1. a smooth surface through the known values (smoothStart.ts) is the first guess;
 * 2. a model of overlapping patches (patches.ts) is learned from the known values, and from a sample of the
 *    guess in holes; the mean over the patches is the next guess, for a second model of smaller patches;
 * 3. some known pixels, held out of both, determine how model and surface are blended (blendWeights.ts).
 *
 * `method: 'plain'` is one model of row × column × channel, as in the paper. docs/images.md has the gain of
 * each idea.
 */
import { InputError } from '../base/inputError.ts'
import { extend, purpose, stream } from '../base/random.ts'
import type { CpModel } from '../model/index.ts'
import { type CompleteOptions, type Completion, complete, type EpochReport } from '../solver/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { blendWeights } from './blendWeights.ts'
import { countHidden, pickAtRandom } from './damage.ts'
import { averagePatches, patchGrid, patchTensor, type Size } from './patches.ts'
import { brightness, fillHoles, type Known, type Picture } from './picture.ts'
import { pixelTensor, pixelValues } from './pixelTensor.ts'
import { smoothValues } from './smoothStart.ts'

/** Options of `restore`; each has a default. */
export interface RestoreOptions
  extends Pick<
    CompleteOptions,
    'rank' | 'lambda' | 'epochs' | 'seed' | 'threads' | 'signal' | 'solver' | 'sample' | 'maxInner'
  > {
  /** 'patches' (default), or 'plain': one model of row × column × channel. */
  method?: 'patches' | 'plain'
  /** Whether known values are replaced by the model's, too; false by default. */
  replaceKnown?: boolean
  /** Called after every epoch, with the current model and its errors; none by default. */
  onEpoch?: (stage: Stage, report: EpochReport) => void
  /**
   * Completes the tensors; by default `complete`. `show` makes the picture of a model: on the way as the
   * model has it, finally blended with the smooth surface.
   */
  solve?: (
    tensor: SparseTensor,
    options: CompleteOptions & { rank: number },
    show: (model: CpModel, when: 'on the way' | 'finally') => Picture,
  ) => Promise<Completion>
}

/** One of the models that a restoration learns, one after another. */
export interface Stage {
  /** Number of the model, from 1. */
  stage: number
  /** Number of all models. */
  stages: number
  /** Sizes of the tensor that is completed. */
  dims: readonly number[]
  /** Entries of that tensor. */
  entries: number
  /** R, the number of components. */
  rank: number
  /** Most epochs of its run. */
  epochs: number
}

/** A restored picture, and how it was made. */
export interface Restoration {
  /** The picture without holes. */
  picture: Picture
  /** The models that were learned. */
  stages: Stage[]
  /** Mean blend weight of the model, 0 to 1, against the smooth surface; 1 without patches. */
  modelShare: number
  /** Whether it was interrupted; then the picture is the best so far. */
  aborted: boolean
}

/** The paper's settings for its picture with 90% of the values missing. */
export const paperSettings = {
  ...{ method: 'plain', solver: 'paper', rank: 50, sample: 0.02, maxInner: 1, epochs: 500 },
} as const satisfies RestoreOptions

/** Edge of the patches in pixels and settings, for each model. */
const STAGES = [
  { edge: 16, rank: 16, lambda: 1, epochs: 10 },
  { edge: 12, rank: 24, lambda: 0.3, epochs: 10 },
]
/**
 * Distances of patches as fractions of the edge, the densest first; the first with at most MOST_ENTRIES
 * entries is used, or the last.
 */
const STRIDES = [1 / 4, 1 / 3, 1 / 2]
/**
 * Fraction of the hidden values at which a patch has an entry of the guess: with 90% missing, half of its
 * entries.
 */
const GUESS_FRACTION = 1 / 9
/** Most entries of a patch tensor; above, patches overlap less and sample their known values. */
const MOST_ENTRIES = 12e6
/** Fraction of the known pixels that are held out to determine the blend weights. */
const HELD_OUT = 0.05

/**
 * Fills the holes of a picture by models of its patches, or of the picture itself. Throws if nothing is
 * known; a picture without holes is returned as it is unless `replaceKnown` is set.
 * @param known 1 where a value of the picture is known, 0 in a hole
 */
export async function restore(
  picture: Picture,
  known: Known,
  options: RestoreOptions = {},
): Promise<Restoration> {
  const hidden = countHidden(known)
  if (known.length !== picture.data.length)
    throw new InputError(
      'shape',
      `The holes are given for ${known.length} values, but the picture has ${picture.data.length}.`,
    )
  if (hidden === known.length)
    throw new InputError('empty', 'Nothing of the picture is known: there is nothing to learn from.')
  const { method = 'patches' } = options
  if (hidden === 0 && !options.replaceKnown) return { picture, stages: [], modelShare: 0, aborted: false }
  const values = brightness(picture)
  const { filled, ...how } = await (method === 'plain' ? fillPlain : fillByPatches)(
    picture,
    values,
    known,
    options,
  )
  return { picture: fillHoles(picture, known, filled, options.replaceKnown ?? false), ...how }
}

/** Filled values (height × width × channels), and how they were made. */
interface Filling extends Omit<Restoration, 'picture'> {
  filled: Float32Array
}

/** Fills holes by one model of row × column × channel. @param values of the picture, 0 … 1 */
async function fillPlain(
  picture: Picture,
  values: Float32Array,
  known: Known,
  options: RestoreOptions,
): Promise<Filling> {
  const tensor = pixelTensor(values, known, picture)
  const { solver = 'fast', epochs = solver === 'paper' ? 100 : 500, rank = 50 } = options
  const stage: Stage = { stage: 1, stages: 1, dims: tensor.dims, entries: tensor.values.length, rank, epochs }
  const { solve = complete, replaceKnown = false } = options
  const { model, stopped } = await solve(
    tensor,
    {
      ...solverOptions(options),
      ...{ solver, rank, epochs },
      onEpoch: (report) => options.onEpoch?.(stage, report),
    },
    (model) => fillHoles(picture, known, pixelValues(model), replaceKnown),
  )
  return { filled: pixelValues(model), stages: [stage], modelShare: 1, aborted: stopped === 'aborted' }
}

/** Fills holes by the three steps in the header of this file. @param values of the picture, 0 … 1 */
async function fillByPatches(
  picture: Picture,
  values: Float32Array,
  known: Known,
  options: RestoreOptions,
): Promise<Filling> {
  const { seed = 1, signal } = options
  const key = stream(seed, purpose.patches)
  const heldOut = pickHeldOut(known, picture, extend(key, 0))
  const trained = known.map((is, at) => is & (1 - heldOut[at]))
  const start = smoothValues(values, trained, picture)
  let surface: Float32Array | undefined // made when it is first needed
  /** Step 3: blends the values of a model with the smooth surface. */
  const blend = (learned: Float32Array): Pick<Filling, 'filled' | 'modelShare'> => {
    const weights = blendWeights({ values, heldOut, start, guess: learned }, picture)
    // The final surface also passes through the held-out values; the weights stay those of the surface
    // without them.
    surface ??= smoothValues(values, known, picture)
    const filled = surface.map((smooth, at) => {
      const weight = weights[Math.floor(at / picture.channels)]
      return smooth + weight * (learned[at] - start[at])
    })
    return { filled, modelShare: weights.reduce((sum, weight) => sum + weight, 0) / weights.length }
  }
  const { solve = complete } = options
  const stages: Stage[] = []
  let guess = start
  for (const [number, plan] of STAGES.entries()) {
    if (signal?.aborted) break
    const last = number === STAGES.length - 1
    const rank = last ? (options.rank ?? plan.rank) : Math.min(plan.rank, options.rank ?? plan.rank)
    const { lambda = plan.lambda, epochs = plan.epochs } = options
    const { stride, knownFraction } = planPatches(known, plan.edge)
    const { width, height, channels } = picture
    const patches = patchTensor(
      {
        ...{ width, height, channels, values, known: trained, guess },
        ...{ knownFraction, guessFraction: GUESS_FRACTION, key: extend(key, number + 1) },
      },
      patchGrid(picture, plan.edge, stride),
    )
    const { tensor } = patches
    const stage = {
      ...{ stage: number + 1, stages: STAGES.length, dims: tensor.dims },
      entries: tensor.values.length,
      rank,
      epochs,
    }
    stages.push(stage)
    const before = guess
    const predictPicture = (model: CpModel): Float32Array => averagePatches(model, patches, picture, before)
    const { model } = await solve(
      tensor,
      {
        ...solverOptions(options),
        ...{ rank, lambda, epochs, seed },
        onEpoch: (report) => options.onEpoch?.(stage, report),
      },
      (model, when) => {
        const learned = predictPicture(model)
        const filled = when === 'finally' ? blend(learned).filled : learned
        return fillHoles(picture, known, filled, options.replaceKnown ?? false)
      },
    )
    guess = predictPicture(model)
  }
  return { ...blend(guess), stages, aborted: signal?.aborted ?? false }
}

/** Picks the options that `restore` passes on to `complete` as they are. */
function solverOptions({ lambda, sample, maxInner, seed, threads, signal }: RestoreOptions): CompleteOptions {
  return { lambda, sample, maxInner, seed, threads, signal }
}

/**
 * Returns the distance of patches in pixels, and the fraction of their known values that become entries, such
 * that there are at most about MOST_ENTRIES entries.
 * @param edge of a patch in pixels
 */
function planPatches(known: Known, edge: number): { stride: number; knownFraction: number } {
  const guessed = GUESS_FRACTION * countHidden(known)
  const given = known.length - countHidden(known)
  const strides = STRIDES.map((fraction) => Math.round(fraction * edge))
  const room = (stride: number): number => MOST_ENTRIES / (edge / stride) ** 2 - guessed
  const stride = strides.find((each) => room(each) >= given) ?? strides[strides.length - 1]
  return { stride, knownFraction: Math.min(1, Math.max(0.05, room(stride) / given)) }
}

/**
 * Returns ones at the held-out values: those of random known pixels near holes. Elsewhere there are no
 * patches and nothing to blend.
 * @param key the key of the random numbers
 */
function pickHeldOut(known: Known, { width, height, channels }: Picture, key: number): Uint8Array {
  const pixels = width * height
  const picked = pickAtRandom(pixels, Math.round(HELD_OUT * pixels), key)
  const near = markNearHoles(known, { width, height, channels })
  return known.map((is, at) => {
    const p = Math.floor(at / channels)
    return is & picked[p] & near[p]
  })
}

/**
 * Returns ones at the pixels (height × width) of every square of a patch's size that has a hole in it or in a
 * neighbouring square.
 */
function markNearHoles(known: Known, { width, height, channels }: Size): Uint8Array {
  const edge = STAGES[0].edge
  const [rows, columns] = [Math.ceil(height / edge), Math.ceil(width / edge)]
  const square = (p: number): [number, number] => [
    Math.floor(p / width / edge),
    Math.floor((p % width) / edge),
  ]
  const marked = new Uint8Array(rows * columns)
  for (let at = known.indexOf(0); at >= 0; at = known.indexOf(0, at + 1)) {
    const [row, column] = square(Math.floor(at / channels))
    for (let i = Math.max(0, row - 1); i <= Math.min(rows - 1, row + 1); i++)
      marked.fill(1, i * columns + Math.max(0, column - 1), i * columns + Math.min(columns, column + 2))
  }
  return Uint8Array.from({ length: width * height }, (_, p) => {
    const [row, column] = square(p)
    return marked[row * columns + column]
  })
}
