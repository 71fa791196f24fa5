/**
 * Fills the holes of a picture. By default in three steps:
 *
 * 1. a smooth surface through the known values (smoothStart.ts) is the first guess;
 * 2. a model of overlapping patches (patches.ts) is learned from the known values, and from some of the guess where
 *    nothing is known; the mean over the patches is the next guess, for a second model of smaller patches;
 * 3. some known pixels were kept from both: they decide, place by place, on a mixture of model and surface (mixture.ts).
 *
 * `method: 'plain'` is one model of row × column × channel, as in the paper. docs/images.md tells what each idea gained.
 */
import { InputError } from '../base/inputError.ts'
import { extend, purpose, stream } from '../base/random.ts'
import type { CpModel } from '../model/index.ts'
import { type CompleteOptions, type Completion, complete, type EpochReport } from '../solver/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { modelShares } from './blendWeights.ts'
import { countHidden, keepAtRandom } from './damage.ts'
import { averagePatches, patchGrid, patchTensor, type Size } from './patches.ts'
import { brightness, fillHoles, type Known, type Picture } from './picture.ts'
import { pixelTensor, pixelValues } from './pixelTensor.ts'
import { smoothValues } from './smoothStart.ts'

/** How a picture is restored; each has a default. */
export interface RestoreOptions
  extends Pick<
    CompleteOptions,
    'rank' | 'lambda' | 'epochs' | 'seed' | 'threads' | 'signal' | 'solver' | 'sample' | 'maxInner'
  > {
  /** 'patches' (default), or 'plain': row × column × channel. */
  method?: 'patches' | 'plain'
  /** Known values are kept as they are, unless this asks for the model's. */
  replaceKnown?: boolean
  /** Told after every epoch: of which of how many models, and how it goes. */
  onEpoch?: (stage: Stage, report: EpochReport) => void
  /**
   * Completes the tensors: `complete` by default. `show` makes the picture that a model stands for: on the way by itself, and
   * finally mixed with the smooth surface.
   */
  solve?: (
    tensor: SparseTensor,
    options: CompleteOptions & { rank: number },
    show: (model: CpModel, when: 'on the way' | 'finally') => Picture,
  ) => Promise<Completion>
}

/** One of the models that a restoration learns one after the other. */
export interface Stage {
  /** 1, 2 … of `stages` */
  stage: number
  stages: number
  /** Of the tensor that is completed. */
  dims: readonly number[]
  entries: number
  rank: number
  epochs: number
}

/** The picture without holes, and how it was made. */
export interface Restoration {
  picture: Picture
  /** The tensors that were completed. */
  stages: Stage[]
  /** How much of the result is the model's, on average, 0 to 1; the rest is the smooth surface. 1 without patches. */
  modelShare: number
  /** Whether it was interrupted: the picture is what was known by then. */
  aborted: boolean
}

/** The paper's setting for its picture: 90% missing, 500 epochs. */
export const paperSettings = {
  ...{ method: 'plain', solver: 'paper', rank: 50, sample: 0.02, maxInner: 1, epochs: 500 },
} as const satisfies RestoreOptions

/** The edge of the patches in pixels, and what each model is learned with. */
const STAGES = [
  { edge: 16, rank: 16, lambda: 1, epochs: 10 },
  { edge: 12, rank: 24, lambda: 0.3, epochs: 10 },
]
/** Strides as parts of the edge, the densest first: it is taken that leaves no more than MOST_ENTRIES, or the last. */
const STRIDES = [1 / 4, 1 / 3, 1 / 2]
/** The guess speaks at every ninth hidden value: at 90% missing, half of what a patch is learned from. */
const GUESS_SHARE = 1 / 9
/** More entries than this take too long: then patches overlap less, and take only some of their known values. */
const MOST_ENTRIES = 12e6
/** Part of the known pixels that choose between model and surface. */
const JUDGES = 0.05

/** Fills the holes of a picture by models of its patches, or of the picture as it is. */
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

interface Filling extends Omit<Restoration, 'picture'> {
  filled: Float32Array
}

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

async function fillByPatches(
  picture: Picture,
  values: Float32Array,
  known: Known,
  options: RestoreOptions,
): Promise<Filling> {
  const { seed = 1, signal } = options
  const key = stream(seed, purpose.patches)
  const judged = judges(known, picture, extend(key, 0))
  const taught = known.map((is, at) => is & (1 - judged[at]))
  const start = smoothValues(values, taught, picture)
  let surface: Float32Array | undefined // not before it is needed
  /** Step 3, for what a model makes of the picture. */
  const mixed = (learned: Float32Array): Pick<Filling, 'filled' | 'modelShare'> => {
    const shares = modelShares({ values, judges: judged, start, guess: learned }, picture)
    // Now the judges may speak too: the surface takes them in, the model's part stays what was judged.
    surface ??= smoothValues(values, known, picture)
    const filled = surface.map((smooth, at) => {
      const share = shares[Math.floor(at / picture.channels)]
      return smooth + share * (learned[at] - start[at])
    })
    return { filled, modelShare: shares.reduce((sum, share) => sum + share, 0) / shares.length }
  }
  const { solve = complete } = options
  const stages: Stage[] = []
  let guess = start
  for (const [number, plan] of STAGES.entries()) {
    if (signal?.aborted) break
    const last = number === STAGES.length - 1
    const rank = last ? (options.rank ?? plan.rank) : Math.min(plan.rank, options.rank ?? plan.rank)
    const { lambda = plan.lambda, epochs = plan.epochs } = options
    const { stride, knownShare } = affordable(known, plan.edge)
    const reshaped = patchTensor(
      {
        ...{ width: picture.width, height: picture.height, channels: picture.channels },
        ...{
          values,
          known: taught,
          knownShare,
          guess,
          guessShare: GUESS_SHARE,
          key: extend(key, number + 1),
        },
      },
      patchGrid(picture, plan.edge, stride),
    )
    const { tensor } = reshaped
    const stage = {
      ...{ stage: number + 1, stages: STAGES.length, dims: tensor.dims },
      entries: tensor.values.length,
      rank,
      epochs,
    }
    stages.push(stage)
    const before = guess
    const averaged = (model: CpModel): Float32Array => averagePatches(model, reshaped, picture, before)
    const { model } = await solve(
      tensor,
      {
        ...solverOptions(options),
        ...{ rank, lambda, epochs, seed },
        onEpoch: (report) => options.onEpoch?.(stage, report),
      },
      (model, when) => {
        const learned = averaged(model)
        const filled = when === 'finally' ? mixed(learned).filled : learned
        return fillHoles(picture, known, filled, options.replaceKnown ?? false)
      },
    )
    guess = averaged(model)
  }
  return { ...mixed(guess), stages, aborted: signal?.aborted ?? false }
}

function solverOptions({ lambda, sample, maxInner, seed, threads, signal }: RestoreOptions): CompleteOptions {
  return { lambda, sample, maxInner, seed, threads, signal }
}

/** How densely patches may lie, and how much of what is known they may take. */
function affordable(known: Known, edge: number): { stride: number; knownShare: number } {
  const guessed = GUESS_SHARE * countHidden(known)
  const given = known.length - countHidden(known)
  const strides = STRIDES.map((part) => Math.round(part * edge))
  const room = (stride: number): number => MOST_ENTRIES / (edge / stride) ** 2 - guessed
  const stride = strides.find((each) => room(each) >= given) ?? strides[strides.length - 1]
  return { stride, knownShare: Math.min(1, Math.max(0.05, room(stride) / given)) }
}

/** Ones at the known values of some pixels near holes: elsewhere there is nothing to judge, and no patch to be learned. */
function judges(known: Known, { width, height, channels }: Picture, key: number): Uint8Array {
  const pixels = width * height
  const picked = keepAtRandom(pixels, Math.round(JUDGES * pixels), key)
  const near = nearHoles(known, { width, height, channels })
  return known.map((is, at) => {
    const p = Math.floor(at / channels)
    return is & picked[p] & near[p]
  })
}

/** Ones at the pixels (height × width) of every square of a patch's size in which, or beside which, there is a hole. */
function nearHoles(known: Known, { width, height, channels }: Size): Uint8Array {
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
