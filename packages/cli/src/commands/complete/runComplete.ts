/**
 * `lacuna complete`, step by step: check the options, estimate the memory, read the entries, split off
 * held-out sets, resolve side information and reshaping, plan, and learn one model or the models of a
 * cross-fit, which evaluate, report and save themselves.
 */
import { type CpModel, InputError, type RunOptions, readModel, type SparseTensor } from 'lacuna'
import {
  type Communicator,
  checkLimits,
  checkOutputs,
  compareFiles,
  countsRemark,
  defaults,
  type FeatureSets,
  featuresDigest,
  formatSentence,
  isReshaped,
  option,
  priorRemark,
  sentence,
  settingsOf,
  sizeOfRun,
} from 'lacuna/internal'
import { duplicatesOf } from '../../options/tableOptions.ts'
import { formatCount } from '../../print/format.ts'
import { oneLine } from '../../print/printable.ts'
import type { Progress } from '../../print/terminal.ts'
import { compareCommands } from '../../process/compareCommands.ts'
import type { LocalEngine } from '../../process/engines.ts'
import { asFlag } from '../../process/failure.ts'
import {
  collectGarbage,
  describeJob,
  type JobDetails,
  type JobPlan,
  labelBytes,
  planJob,
  type ReadingBytes,
  refuseJob,
  refuseTooLarge,
} from '../../process/memory.ts'
import { startRootProgress, withEngine } from '../../process/processes.ts'
import { withSignals } from '../../process/signals.ts'
import { type CompleteOptions, isCrossFitted } from './completeOptions.ts'
import type { CompleteContext } from './context.ts'
import { checkCrossFitOptions, findRank, learnEnsemble } from './crossFit.ts'
import { entriesOf } from './entries.ts'
import { type EntrySets, readEntrySets } from './heldOutSets.ts'
import { completeOneModel } from './oneModel.ts'
import { describeReshaping, parseReshaping } from './reshape.ts'
import { checkChoose, checkTimePrior, readFeatures } from './sideInformation.ts'

/** The rank for which a search for the rank is planned: few data sets need a larger one. */
const RANK_TO_PLAN = 16
/** The number of trials of a search whose models are planned to stay in memory. */
const TRIALS_TO_PLAN = 8

/**
 * Runs `lacuna complete`.
 * @param files paths of the input, as typed
 * @param options options as parsed from the command line
 */
export async function runComplete(files: string[], options: CompleteOptions): Promise<void> {
  const progress = startRootProgress(options.quiet ?? false)
  checkOptions(options)
  const onRemark = (text: string): void => progress.insist(text)
  await withEngine({ ...options, onRemark }, async (engine) => {
    await compareCommands(engine.communicator, files, options)
    checkCrossFitOptions({ ...options }, engine.communicator.size)
    const context = createContext(engine, files, options, progress)
    const prepared = await prepareJob(context)
    const { sets, readingSeconds } = await readSets(context, prepared.initial)
    const settings = await resolveSettings(context, prepared, sets.train)
    const plan = await planSets(context, sets, settings, prepared.reading)
    await withSignals(async (interruption) => {
      announceJob(context, plan, settings.rank)
      const plannedMemory = plan.byteLength
      const learning = { ...context, sets, settings, readingSeconds, plannedMemory, interruption }
      if (isCrossFitted(options)) return learnEnsemble(learning)
      const found = isRankToFind(options) ? await findRank(learning) : undefined
      return completeOneModel(learning, found)
    }, context.communicator.size > 1)
  })
}

/** Throws if options contradict each other: --resume without -o, or --choose without a learned prior. */
function checkOptions(options: CompleteOptions): void {
  if (!options.output && options.resume)
    throw new InputError(
      'option',
      sentence`${option('resume')} goes on from the checkpoint beside the model; name the model by -o.`,
    )
  checkChoose(options)
  checkTimePrior(options)
}

/** Collects the state that all steps of the command share. */
function createContext(
  engine: LocalEngine,
  files: readonly string[],
  options: CompleteOptions,
  progress: Progress,
): CompleteContext {
  const { communicator } = engine
  const begun = performance.now()
  const entries = entriesOf(communicator, progress)
  return { files, options, engine, communicator, entries, progress, begun }
}

/** Result of prepareJob. */
interface Prepared {
  /** Model of `--initial`. */
  initial: CpModel | undefined
  /** Settings of the solver, as far as they follow from the options alone. */
  settings: RunOptions
  /** Bytes that reading takes in this process beside the tensor. */
  reading: ReadingBytes
}

/**
 * Checks outputs and settings, refuses a job that does not fit in memory, and reads the initial model, before
 * a long file is read. Fails on all processes if it fails on one.
 */
async function prepareJob({
  files,
  options,
  engine,
  communicator,
  entries,
}: CompleteContext): Promise<Prepared> {
  const readers = await entries.countReaders(files, options)
  if (options.initial !== undefined) await compareFiles(communicator, [options.initial])
  return communicator.failTogether(async () => {
    if (options.output !== undefined && communicator.isRoot)
      await checkModelOutput(options.output, files, options)
    if (options.plot !== undefined) await checkOutputs([options.plot], [...files, options.output])
    const initial = options.initial === undefined ? undefined : await readModel(options.initial, 'single')
    const given = solverSettings(options)
    const settings = {
      ...given,
      rank: given.rank ?? (options.rank === undefined ? initial?.rank : undefined),
    }
    // The held-out entries are not known yet, only whether there are any.
    const validation = options.validation === undefined ? undefined : ({} as SparseTensor)
    settingsOf({ ...settings, validation })
    // First the limit of the address space: otherwise the message would blame the memory.
    checkLimits(engine.threads, 1)
    // Threads start and the kernel is compiled while the file is read.
    if (settings.rank !== undefined || !isRankToFind(options))
      engine.warm?.(settings.rank ?? defaults.fast.rank)
    const isReader = communicator.isRoot || readers > 1
    const { modes, weight, query } = options
    const duplicates = duplicatesOf(options)
    const rank = rankToPlan(options, settings.rank)
    const asked = { ...settings, rank, modes, weight, query, duplicates }
    const reading = isReader
      ? await refuseTooLarge(files, engine, asked, detailsOf(options), readers)
      : { most: 0, rest: 0 }
    return { initial, settings, reading }
  })
}

/** Returns the details of a job that follow from the options, for the estimate of its memory. */
function detailsOf(options: CompleteOptions): Pick<JobDetails, 'isSplit' | 'isLinked' | 'isSaved' | 'folds'> {
  const { validation, test, output, checkpointEvery, folds, threads, rank, best, link } = options
  const isSaved = output !== undefined && checkpointEvery > 0
  const isEnsemble = isCrossFitted(options)
  const isSearch = isRankToFind(options)
  return {
    isSplit: [validation, test].some((fraction) => typeof fraction === 'number'),
    isLinked: link !== undefined && link !== 'identity',
    isSaved,
    folds:
      isEnsemble || rank === 'auto'
        ? {
            ...{ folds, threads, isSaved, isEnsemble, isRefitted: best === true },
            trials: isSearch || best ? TRIALS_TO_PLAN : 1,
          }
        : undefined,
  }
}

/** The rank for which memory is planned: that of most searches, where it is to be found. */
const rankToPlan = (options: CompleteOptions, given: number | undefined): number | undefined =>
  isRankToFind(options) ? RANK_TO_PLAN : given

/** Whether the rank is found by cross-validation: with --rank auto, or --best without --rank. */
const isRankToFind = ({ rank, best }: CompleteOptions): boolean =>
  rank === 'auto' || (best === true && rank === undefined)

/**
 * Reads the entries and held-out sets, measures the seconds that this takes, and prints notices about weights
 * and counts.
 */
async function readSets(
  { files, options, entries, progress }: CompleteContext,
  initial: CpModel | undefined,
): Promise<{ sets: EntrySets; readingSeconds: number }> {
  const start = performance.now()
  const sets = await readEntrySets(files, options, initial, entries, progress)
  const readingSeconds = (performance.now() - start) / 1000
  const { train } = sets
  const isSplit = [options.validation, options.test].some((fraction) => typeof fraction === 'number')
  // The tensor from before the split is garbage now; Node does not count its shared arrays.
  if (isSplit) collectGarbage(4 * (train.dims.length + 1) * train.values.length)
  if (train.weights) progress.say('Entries count by their weights')
  const remark = countsRemark(train)
  if (remark && options.missing === undefined) progress.say(formatSentence(remark, asFlag))
  return { sets, readingSeconds }
}

/**
 * Returns the settings with all that needs the tensor's labels (features, reshaping), engine and initial
 * model.
 */
async function resolveSettings(
  { options, engine, communicator, progress }: CompleteContext,
  { initial, settings }: Prepared,
  train: SparseTensor,
): Promise<RunOptions> {
  const features = await communicator.failTogether(() =>
    readFeatures(train, options.features ?? [], progress),
  )
  if (features) await compareFeatures(communicator, features)
  const reshaping = await parseReshaping(options, train, initial, communicator)
  if (isReshaped(reshaping)) progress.say(oneLine(describeReshaping(reshaping, train)))
  return { ...settings, ...reshaping, features, engine, initial }
}

/** Throws in all processes if one of them has read other attributes of --features than the root. */
async function compareFeatures(communicator: Communicator, features: FeatureSets): Promise<void> {
  const digests = await communicator.allGatherTexts(featuresDigest(features))
  const rank = digests.findIndex((digest) => digest !== digests[0])
  if (rank > 0)
    throw new InputError(
      'file',
      sentence`Process ${rank + 1} of ${digests.length} reads other attributes by ${option('features')} than process 1: copy the same table to all machines.`,
    )
}

/**
 * Plans the memory of the job from the numbers of entries of all sets; throws if there is not as much. Prints
 * a notice if the job is too large for a learned prior.
 * @param reading bytes that reading takes beside the tensor
 */
async function planSets(
  { files, options, engine, entries, communicator, progress }: CompleteContext,
  { train, validation, test }: EntrySets,
  settings: RunOptions,
  reading: ReadingBytes,
): Promise<JobPlan> {
  const sizes: number[] = []
  for (const set of [train, validation, test]) sizes.push(set ? await entries.count(set) : 0)
  const sets = {
    ...(validation && { validation: sizes[1] }),
    ...(test && settings.missing === 'zero' && { test: sizes[2] }),
  }
  const weighted = train.weights !== undefined
  const planned = { ...settings, rank: rankToPlan(options, settings.rank) }
  const size = sizeOfRun({ dims: train.dims, entries: sizes[0], sets, weighted }, planned)
  const remark = isRankToFind(options) ? undefined : priorRemark(size, planned)
  if (remark) progress.say(formatSentence(remark, asFlag))
  // Reshaped entries are held in memory beside those that were read.
  const isReshapedJob = size.dims.join() !== train.dims.join()
  const columns = train.dims.length + (isReshapedJob ? size.dims.length : 0)
  const plan = planJob(engine, size, {
    ...detailsOf(options),
    columns,
    heldOut: sizes[1] + sizes[2],
    labels: labelBytes(train),
    reading,
    holders: communicator.size,
  })
  const what = `${files.join(' ')}: ${formatCount(sizes[0])} entries of ${train.dims.length} modes`
  await communicator.failTogether(() => refuseJob(plan, what))
  return plan
}

/** Prints rank, backend and memory of the job. @param givenRank undefined for the default */
function announceJob(
  { options, engine, progress }: CompleteContext,
  plan: JobPlan,
  givenRank?: number,
): void {
  const rank = isRankToFind(options) ? 'to be found' : (givenRank ?? defaults.fast.rank)
  progress.say(`Rank ${rank} on ${plan.backend ?? engine.description}, ${describeJob(plan)}`)
}

/** Throws if the model's path is not .npz, cannot be written, or is one of the inputs. */
async function checkModelOutput(
  path: string,
  files: readonly string[],
  options: CompleteOptions,
): Promise<void> {
  if (!path.endsWith('.npz')) throw new InputError('option', `${path}: a model file must end in .npz.`)
  const { initial, mask, database, validation, test } = options
  const heldOut = [validation, test].filter((given) => typeof given === 'string')
  await checkOutputs([path], [...files, initial, mask, database, ...heldOut])
}

/** Picks the solver's settings from the options; the rank is undefined with --rank auto. */
function solverSettings(options: CompleteOptions): RunOptions {
  const rank = options.rank === 'auto' ? undefined : options.rank
  const { solver, sample, missing, link, prior, noise, loss, lags, timePrior, lambda, maxInner } = options
  const { epochs, seconds, tolerance, patience, seed, threads } = options
  const model = { rank, solver, sample, missing, link, prior, noise, loss, lags, timePrior, lambda, maxInner }
  return { ...model, epochs, seconds, tolerance, patience, seed, threads }
}
