import { cpuEngine } from '../engine/cpu/index.ts'
import type { Engine } from '../engine/engine.ts'
import { InputError } from '../inputError.ts'
import { CpModel, type ErrorSummary, summarizeError } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { version } from '../version.ts'
import { givenFactors, randomFactors } from './initial.ts'
import { type CompleteOptions, type Settings, settingsOf } from './options.ts'
import { type Scaling, scaled, scalingFor } from './scaling.ts'
import { type StopReason, stopRule } from './stopping.ts'

export interface EpochReport {
  epoch: number
  /** Since solving began, errors included. */
  seconds: number
  /** In S_NMC alone, errors not included. */
  updateSeconds: number
  train: ErrorSummary
  validation?: ErrorSummary
}

export interface Completion {
  model: CpModel
  settings: Settings
  epochs: EpochReport[]
  /** Errors of the model that is returned. */
  train: ErrorSummary
  validation?: ErrorSummary
  seconds: number
  stopped: StopReason
}

/** Learns a nonnegative model of rank R from the observed entries: Algorithm 2. */
export async function complete(tensor: SparseTensor, options: CompleteOptions = {}): Promise<Completion> {
  const settings = settingsOf(options)
  const { rank, maxInner, seed } = settings
  const { validation } = options
  if (validation && validation.dims.join() !== tensor.dims.join())
    throw new InputError(
      `The validation entries are of a tensor of size ${validation.dims.join('×')}, the others of ${tensor.dims.join('×')}.`,
    )
  const given = options.initial && givenFactors(options.initial, tensor, rank)
  const scaling = scalingFor(tensor)
  const engine = options.engine ?? cpuEngine({ threads: options.threads })
  const stop = (): void => engine.stop()
  options.signal?.addEventListener('abort', stop)
  try {
    await engine.load({ tensor, validation, rank, maxInner, seed, valueScale: scaling.values })
    const initial = given ?? randomFactors(tensor, rank, seed)
    await engine.writeFactors(initial.map((factor) => scaled(factor, scaling.factors)))
    return await solve(engine, tensor, scaling, settings, options)
  } finally {
    options.signal?.removeEventListener('abort', stop)
    await engine.close()
  }
}

async function solve(
  engine: Engine,
  tensor: SparseTensor,
  scaling: Scaling,
  settings: Settings,
  { validation, onEpoch, signal }: CompleteOptions,
): Promise<Completion> {
  const { sample, maxInner, seed } = settings
  const lambda = settings.lambda * scaling.lambda
  const measure = errorMeter(engine, scaling, { train: tensor, validation })
  const shouldStop = stopRule(settings)
  const epochs: EpochReport[] = []
  const start = performance.now()
  const since = (): number => (performance.now() - start) / 1000
  let best: { factors: Float32Array[]; report: EpochReport } | undefined
  let stopped: StopReason | undefined
  let updateSeconds = 0
  let k = 0 // AO iterations done

  for (let epoch = 1; stopped === undefined; epoch++) {
    // An epoch accesses as many entries as there are: 1/c AO iterations, rounded so that rounding never adds up.
    const count = Math.max(1, Math.round(epoch / sample) - k)
    const begin = since()
    const done = signal?.aborted
      ? 0
      : await engine.iterate({ first: k, count, sample, lambda, maxInner, seed })
    k += done
    updateSeconds += since() - begin

    const train = await measure('train')
    const report: EpochReport = { epoch, seconds: 0, updateSeconds, train }
    if (validation) report.validation = await measure('validation')
    report.seconds = since()
    if (!Number.isFinite(train.rmse)) throw new Error(`The error is no longer finite after epoch ${epoch}.`)
    if (done === count) {
      epochs.push(report)
      onEpoch?.(report)
      stopped = shouldStop(report)
    } else {
      stopped = 'aborted'
    }
    // With validation entries the best factors count, without them the last.
    const better = validation ? isBetter(report, best?.report) : stopped !== undefined
    if (better) best = { factors: await engine.readFactors(), report }
  }

  const { factors, report } = best!
  const seconds = since()
  const training = {
    version,
    ...settings,
    epochs: epochs.length,
    iterations: k,
    seconds,
    stopped,
    ...errorsOf(report),
  }
  const model = new CpModel({
    dims: tensor.dims,
    rank: settings.rank,
    factors: factors.map((factor) => scaled(factor, 1 / scaling.factors)),
    labels: tensor.labels,
    training: finite(training),
  })
  return { model, settings, epochs, seconds, stopped, ...errorsOf(report) }
}

const isBetter = (report: EpochReport, than: EpochReport | undefined): boolean =>
  !than?.validation || report.validation!.relative < than.validation.relative

const errorsOf = ({ train, validation }: EpochReport): Pick<EpochReport, 'train' | 'validation'> =>
  validation ? { train, validation } : { train }

/** JSON has no Infinity: settings that are off are left out. */
const finite = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== Infinity))

/** Turns an engine's sums, in scaled units, into errors in the data's units. */
function errorMeter(
  engine: Engine,
  scaling: Scaling,
  tensors: { train: SparseTensor; validation?: SparseTensor },
): (entries: 'train' | 'validation') => Promise<ErrorSummary> {
  const norms = {
    train: norm2(tensors.train),
    validation: tensors.validation ? norm2(tensors.validation) : 0,
  }
  return async (name) => {
    const { squares, absolutes } = await engine.error(name)
    return summarizeError({
      squares: squares / scaling.values ** 2,
      absolutes: absolutes / scaling.values,
      norm2: norms[name],
      entries: tensors[name]?.values.length ?? 0,
    })
  }
}

function norm2({ values }: SparseTensor): number {
  let squares = 0
  for (const x of values) squares += x * x
  return squares
}
