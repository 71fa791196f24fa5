import {
  type Completion,
  type FileRun,
  InputError,
  type RunOptions,
  readModel,
  type SparseTensor,
} from 'lacuna'
import {
  CpuEngine,
  checkLimits,
  checkOutputs,
  countsRemark,
  defaults,
  type FoldChoice,
  inWords,
  isReshaped,
  option,
  sentence,
  settingsOf,
  sizeOfRun,
  type World,
} from 'lacuna/internal'
import { print, printJson } from '../../print/print.ts'
import { oneLine } from '../../print/printable.ts'
import type { Progress } from '../../print/terminal.ts'
import type { LocalEngine } from '../../process/engines.ts'
import { asFlag, Interrupted } from '../../process/failure.ts'
import { spokenProgress, withEngine } from '../../process/processes.ts'
import { saveModel } from '../../process/saveModel.ts'
import { type Interruption, withSignals } from '../../process/signals.ts'
import type { CompleteOptions } from './completeOptions.ts'
import { type Errors, jsonReport, textReport } from './completeReport.ts'
import { checkFolding, findRank, isFolded, learnByFolds } from './crossFit.ts'
import { type Entries, entriesOfMany, entriesOfOne } from './entries.ts'
import { type Parts, readParts } from './heldOutSets.ts'
import { learn, removeCheckpoint, resumingCommand } from './learnModel.ts'
import { collectGarbage, describeJob, type JobPlan, planJob, refuseTooLarge } from './memory.ts'
import { describeReshaping, parseReshaping } from './reshape.ts'
import { checkChoose, readFeatures } from './sideInformation.ts'

export async function runComplete(files: string[], options: CompleteOptions): Promise<void> {
  const progress = spokenProgress(options.quiet ?? false)
  if (!options.output && options.resume)
    throw new InputError(
      'option',
      sentence`${option('resume')} goes on from the checkpoint beside the model; name the model by -o.`,
    )
  checkChoose(options)
  const onRemark = (text: string): void => progress.insist(text)
  await withEngine({ ...options, onRemark }, (engine) => {
    checkFolding({ ...options }, engine.processes)
    return runOn(engine, files, options, progress)
  })
}

async function runOn(
  engine: LocalEngine,
  files: readonly string[],
  options: CompleteOptions,
  progress: Progress,
): Promise<void> {
  const world = engine instanceof CpuEngine && engine.processes > 1 ? await engine.world() : undefined
  const entries = world ? entriesOfMany(world, progress) : entriesOfOne(progress)
  const holders = await entries.holders(files, options)
  const { initial, settings, reading } = await together(world, async () => {
    if (options.output && engine.process === 0) await checkModelOutput(options.output, files, options)
    if (options.plot !== undefined) await checkOutputs([options.plot], [...files, options.output])
    const initial = options.initial === undefined ? undefined : await readModel(options.initial)
    const settings = {
      ...solverSettings(options),
      ...(initial && options.rank === undefined && { rank: initial.rank }),
    }
    // Before a long file is read; of what is held out, only whether there is any is known yet.
    settingsOf({ ...settings, ...(options.validation !== undefined && { validation: {} as SparseTensor }) })
    // Where addresses are short, memory would seem to be.
    checkLimits(engine.threads, 1)
    // Threads start and the kernel is compiled while the file is read.
    if (
      engine instanceof CpuEngine &&
      (settings.rank !== undefined || (options.rank === undefined && !options.best))
    )
      engine.warm(settings.rank ?? defaults.fast.rank)
    const isReader = engine.process === 0 || holders > 1
    const { modes, weight } = options
    const reading = isReader
      ? await refuseTooLarge(files, engine, { ...settings, modes, weight }, holders)
      : 0
    return { initial, settings, reading }
  })
  const start = performance.now()
  const parts = await readParts(files, options, initial, entries, progress)
  const readingSeconds = (performance.now() - start) / 1000
  const isSplit = [options.validation, options.test].some((share) => typeof share === 'number')
  if (isSplit) collectGarbage(4 * (parts.train.dims.length + 1) * parts.train.values.length) // what it was split from
  if (parts.train.weights) progress.say('Entries count by their weights')
  const remark = countsRemark(parts.train)
  if (remark && options.missing === undefined) progress.say(inWords(remark, asFlag))
  const features = await together(world, () => readFeatures(parts.train, options.features ?? [], progress))
  const reshaping = await parseReshaping(options, parts.train, initial, world)
  if (isReshaped(reshaping)) progress.say(oneLine(describeReshaping(reshaping, parts.train)))
  const learning = { ...settings, ...reshaping, ...(features && { features }), engine, initial }
  const plan = await planParts(engine, parts, entries, learning, holders > 1 ? reading : 0)
  await withSignals(async (interruption) => {
    const isToFind = options.rank === 'auto' || (options.best && options.rank === undefined)
    const rank = isToFind ? 'to be found' : (settings.rank ?? defaults.fast.rank)
    progress.say(`Rank ${rank} on ${plan.backend ?? engine.description}, ${describeJob(plan)}`)
    if (isFolded(options)) return learnByFolds(engine, parts, learning, options, interruption, progress)
    const found = isToFind
      ? await findRank(parts.train, learning, options, interruption, progress)
      : undefined
    const chosen = found ? { ...learning, rank: found.rank } : learning
    const asked = {
      ...options,
      resume: options.resume && found?.isBegun !== false,
      isOwn: found?.isBegun === false,
    }
    return learnAndTell(
      parts,
      entries,
      chosen,
      asked,
      interruption,
      progress,
      world,
      found?.choice,
      readingSeconds,
    )
  }, world !== undefined)
}

/** Does what may go wrong in one process only, and tells all of them; what is told is the same as in one. */
const together = <T>(world: World | undefined, work: () => Promise<T>): Promise<T> =>
  world ? world.together(work) : work()

async function planParts(
  engine: LocalEngine,
  { train, validation, test }: Parts,
  entries: Entries,
  settings: RunOptions,
  reading: number,
): Promise<JobPlan> {
  const sizes: number[] = []
  for (const part of [train, validation, test]) sizes.push(part ? await entries.count(part) : 0)
  const sets = {
    ...(validation && { validation: sizes[1] }),
    ...(test && settings.missing === 'zero' && { test: sizes[2] }),
  }
  const weighted = train.weights !== undefined
  const size = sizeOfRun({ dims: train.dims, entries: sizes[0], sets, weighted }, settings)
  // Reshaped entries are held beside those that were read.
  const isOther = size.dims.join() !== train.dims.join()
  const columns = train.dims.length + (isOther ? size.dims.length : 0)
  return planJob(engine, size, { columns, heldOut: sizes[1] + sizes[2], reading, holders: engine.processes })
}

async function learnAndTell(
  { train, validation, test }: Parts,
  entries: Entries,
  settings: RunOptions,
  options: CompleteOptions & { isOwn?: boolean },
  interruption: Interruption,
  progress: Progress,
  world: World | undefined,
  ranks: FoldChoice | undefined,
  readingSeconds: number,
): Promise<void> {
  const zeros = settings.missing === 'zero'
  // Cells that are held out must not be taken for zeros.
  const watch = zeros && test ? { test } : undefined
  const { run, choice } = await learn(
    train,
    { ...settings, validation, watch },
    options,
    interruption,
    progress,
    world,
  )
  try {
    const { result, errors, output, failure } = await interruption.protect(async () => {
      if (!run.stopped && run.epoch === 0 && !world) {
        const kept = options.output === undefined ? '' : `: ${options.output} is not written`
        progress.say(`Interrupted. Nothing has been learned yet${kept}.`)
        throw interruption.outcome()
      }
      const result = { ...(await run.result()), ...(choice && { choice }) }
      if (choice) result.model.training.choice = choice
      if (ranks) result.model.training.ranks = ranks.trials
      const errors: Errors = {
        train: result.train,
        ...(result.validation && { validation: result.validation }),
        ...(test && (await entries.judge(result.model, train, test, zeros))),
      }
      if (errors.test) result.model.training.test = errors.test
      return { result, errors, ...(await keepModel(run, result, options, progress)) }
    })
    const total = await entries.count(train)
    // What was learned is told even where it could not be written.
    if (run.isFirst) {
      const told = {
        ...options,
        output,
        took: { reading: readingSeconds, setUp: run.setUpSeconds, solving: result.seconds },
        ...(world && { processes: world.processes }),
        ...(ranks && { ranks }),
      }
      if (options.json) await printJson(jsonReport(train, total, result, errors, told))
      else await print(textReport(result, errors, told))
    }
    const isAsked =
      settings.prior === 'learned' ||
      settings.loss === 'huber' ||
      Object.keys(settings.lags ?? {}).length > 0 ||
      settings.features !== undefined ||
      (settings.noise !== undefined && settings.noise !== 'gaussian')
    const isOver = result.stopped !== 'aborted' && result.stopped !== 'seconds'
    if (isOver && isAsked && result.stopped !== 'learned' && result.model.prior?.kind !== 'learned')
      progress.say(
        'No prior was learned, which lags, features and noise are part of: the entries or epochs are too few, or λ leaves too little unexplained.',
      )
    await together(world, async () => {
      if (failure) throw failure
    })
    if (result.stopped === 'aborted') {
      progress.say(
        options.output && run.epoch > 0
          ? `Interrupted. To go on:\n  ${resumingCommand(world?.processes)}`
          : 'Interrupted.',
      )
      if (world) throw new Interrupted(Math.max(...(await world.gatherNumbers(interruption.code())).flat()))
      throw interruption.outcome()
    }
  } finally {
    await run.close()
  }
}

/** Writes the model, if there is one: what has not learned anything never takes the place of what has. */
async function keepModel(
  run: FileRun,
  { model, stopped }: Completion,
  { output }: CompleteOptions,
  progress: Progress,
): Promise<{ output?: string; failure?: unknown }> {
  if (output === undefined) {
    progress.say('The model is not kept; -o model.npz would write it.')
    return {}
  }
  if (!run.learned) {
    progress.say(`Nothing has been learned yet: ${output} is not written.`)
    return {}
  }
  if (!run.isFirst) return { output }
  try {
    await saveModel(output, model)
  } catch (failure) {
    return { failure }
  }
  if (stopped !== 'aborted') await removeCheckpoint(output)
  return { output }
}

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

function solverSettings(options: CompleteOptions): RunOptions {
  const rank = options.rank === 'auto' ? undefined : options.rank
  const { solver, sample, missing, prior, noise, loss, lags, lambda, maxInner } = options
  const { epochs, seconds, tolerance, patience, seed, threads } = options
  const model = { rank, solver, sample, missing, prior, noise, loss, lags, lambda, maxInner }
  return { ...model, epochs, seconds, tolerance, patience, seed, threads }
}
