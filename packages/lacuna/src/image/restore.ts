/**
 * Fills the holes of a picture, by default in four steps:
 *
 * 1. some known pixels are held out (heldOut.ts): they determine how the results of the next steps are
 *    blended (blendWeights.ts);
 * 2. a surface (surface.ts) is the first guess: a mixture of Gaussians over patches (mixture/), blended with
 *    a thin plate (smoothStart.ts);
 * 3. a CP model of overlapping patches (patches.ts) is learned from the known values, and from a sample of
 *    the guess in holes; the mean over the patches is the model's picture;
 * 4. model and surface are blended.
 *
 * `method: 'plain'` is one model of row × column × channel, as in the paper. docs/images.md has the gain of
 * each idea.
 */
import { InputError } from '../base/inputError.ts'
import { extend, purpose, stream } from '../base/random.ts'
import type { CpModel } from '../model/index.ts'
import { type CompleteOptions, type Completion, complete, type EpochReport } from '../solver/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { addWeighted, blendWeights } from './blendWeights.ts'
import { countHidden } from './damage.ts'
import { Drafts, type OnDraft } from './drafts.ts'
import { pickHeldOut, removeHeldOut } from './heldOut.ts'
import { averagePatches, patchGrid, patchTensor } from './patches.ts'
import { brightness, fillHoles, type Known, type Picture } from './picture.ts'
import { pixelTensor, pixelValues } from './pixelTensor.ts'
import { fitSurface } from './surface.ts'

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
   * Called with a picture on the way whenever there is one that predicts the held-out pixels better than the
   * last one; none by default. Of 'plain', which holds nothing out, only by `show` of `solve`.
   */
  onDraft?: OnDraft
  /** Completes the tensors; by default `complete`. `show` reports the picture of a model on the way. */
  solve?: (
    tensor: SparseTensor,
    options: CompleteOptions & { rank: number },
    show: (model: CpModel) => Promise<void>,
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
  /** Mean blend weight of the model, 0 to 1, against the surface; 1 without patches. */
  modelShare: number
  /** Whether the restoration was interrupted; the picture is then the best so far. */
  aborted: boolean
}

/** The paper's settings for its picture with 90% of the values missing. */
export const paperSettings = {
  ...{ method: 'plain', solver: 'paper', rank: 50, sample: 0.02, maxInner: 1, epochs: 500 },
} as const satisfies RestoreOptions

/** Edge of the patches in pixels and settings of the model of patches. */
const MODEL = { edge: 12, rank: 24, lambda: 0.3, epochs: 10 }
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
    async (model) =>
      options.onDraft?.({
        error: 0,
        picture: () => fillHoles(picture, known, pixelValues(model), replaceKnown),
      }),
  )
  return { filled: pixelValues(model), stages: [stage], modelShare: 1, aborted: stopped === 'aborted' }
}

/** Fills holes by the steps in the header of this file. @param values of the picture, 0 … 1 */
async function fillByPatches(
  picture: Picture,
  values: Float32Array,
  known: Known,
  options: RestoreOptions,
): Promise<Filling> {
  const { seed = 1, signal, solve = complete, onDraft } = options
  const { rank = MODEL.rank, lambda = MODEL.lambda, epochs = MODEL.epochs } = options
  const key = stream(seed, purpose.patches)
  const heldOut = pickHeldOut(known, picture, extend(key, 0))
  const drafts = onDraft && new Drafts(picture, known, { values, heldOut }, onDraft)
  const { start, surface } = await fitSurface(
    { values, known, heldOut },
    picture,
    signal,
    drafts && ((rows) => drafts.propose(rows)),
  )
  if (signal?.aborted) return { filled: surface, stages: [], modelShare: 0, aborted: true }
  const { width, height, channels } = picture
  const { stride, knownFraction } = planPatches(known, MODEL.edge)
  const patches = patchTensor(
    {
      ...{ width, height, channels, values, guess: start },
      known: removeHeldOut(known, heldOut),
      ...{ knownFraction, guessFraction: GUESS_FRACTION, key: extend(key, 1) },
    },
    patchGrid(picture, MODEL.edge, stride),
  )
  const { tensor } = patches
  const stage = { stage: 1, stages: 1, dims: tensor.dims, entries: tensor.values.length, rank, epochs }
  const predictPicture = (model: CpModel): Float32Array => averagePatches(model, patches, picture, start)
  /** Step 4: blends the values of the model with the surface. */
  const blend = (guess: Float32Array): { filled: Float32Array; weights: Float32Array } => {
    const weights = blendWeights({ values, heldOut, start, guess }, picture, 0)
    return { filled: addWeighted(surface, weights, { start, guess }), weights }
  }
  const { model } = await solve(
    tensor,
    {
      ...solverOptions(options),
      ...{ rank, lambda, epochs, seed },
      onEpoch: (report) => options.onEpoch?.(stage, report),
    },
    async (model) => {
      if (!drafts) return
      const guess = predictPicture(model)
      const { filled, weights } = blend(guess)
      await drafts.propose({ first: 0, shown: filled, judged: addWeighted(start, weights, { start, guess }) })
    },
  )
  const { filled, weights } = blend(predictPicture(model))
  const modelShare = weights.reduce((sum, weight) => sum + weight, 0) / weights.length
  return { filled, modelShare, stages: [stage], aborted: signal?.aborted ?? false }
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
