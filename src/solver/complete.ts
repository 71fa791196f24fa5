import { cpuEngine } from '../engine/cpu/index.ts'
import type { Engine } from '../engine/engine.ts'
import { InputError } from '../inputError.ts'
import { CpModel, type ErrorSummary } from '../model/index.ts'
import type { SparseTensor } from '../tensor/index.ts'
import { version } from '../version.ts'
import { Course, type EpochReport } from './course.ts'
import { errorMeter } from './errorMeter.ts'
import { probeOf, solveFast } from './fast.ts'
import { givenFactors, randomFactors } from './initial.ts'
import { type CompleteOptions, type Settings, settingsOf } from './options.ts'
import { solveByPaper } from './paper.ts'
import { type Scaling, scaled, scalingFor } from './scaling.ts'
import type { StopReason } from './stopping.ts'
import { fillUnobserved, unobservedRows } from './unobserved.ts'

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

/** Learns a nonnegative model of rank R from the observed entries. */
export async function complete(tensor: SparseTensor, options: CompleteOptions = {}): Promise<Completion> {
  const settings = settingsOf(options)
  const { rank, seed } = settings
  const { validation } = options
  if (validation && validation.dims.join() !== tensor.dims.join())
    throw new InputError(
      'shape',
      `The validation entries are of a tensor of size ${validation.dims.join('×')}, the others of ${tensor.dims.join('×')}.`,
    )
  const given = options.initial && givenFactors(options.initial, tensor, rank)
  const scaling = scalingFor(tensor)
  const engine = options.engine ?? cpuEngine({ threads: options.threads })
  const stop = (): void => engine.stop()
  options.signal?.addEventListener('abort', stop)
  try {
    const fast = settings.solver === 'fast'
    const probe = fast ? probeOf(tensor, seed) : undefined
    const companions = fast || settings.maxInner > 1
    await engine.load({ tensor, validation, probe, rank, companions, seed, valueScale: scaling.values })
    const initial = given ?? randomFactors(tensor, rank, seed)
    const unobserved = unobservedRows(tensor)
    const start = initial.map((factor) => scaled(factor, scaling.factors))
    await engine.writeFactors(fillUnobserved(start, rank, unobserved))
    return await solve(engine, tensor, unobserved, probe, scaling, settings, options)
  } finally {
    options.signal?.removeEventListener('abort', stop)
    await engine.close()
  }
}

async function solve(
  engine: Engine,
  tensor: SparseTensor,
  unobserved: readonly Uint32Array[],
  probe: SparseTensor | undefined,
  scaling: Scaling,
  settings: Settings,
  options: CompleteOptions,
): Promise<Completion> {
  const measure = errorMeter(engine, scaling, { train: tensor, validation: options.validation, probe })
  const course = new Course(engine, scaling, measure, settings, options)
  const rowsWithEntries = tensor.dims.map((rows, mode) => rows - unobserved[mode].length)
  const stopped =
    settings.solver === 'fast'
      ? await solveFast(course, settings, engine, tensor.values, rowsWithEntries)
      : await solveByPaper(course, settings)

  const { factors, report } = course.best!
  const seconds = course.seconds
  await engine.writeFactors(factors)
  const train = probe ? await measure('train') : report.train
  const errors = report.validation ? { train, validation: report.validation } : { train }
  const learned = factors.map((factor) => scaled(factor, 1 / scaling.factors))
  fillUnobserved(learned, settings.rank, unobserved)
  const { dims, labels, modes, valueName } = tensor
  const model = new CpModel({
    ...{ dims, rank: settings.rank, factors: learned, labels, modes, unobserved },
    training: finite({
      ...{ version, ...settings, epochs: course.epoch, iterations: course.k, seconds, stopped },
      ...{ finalSample: report.sample, finalLambda: report.lambda, ...errors },
      ...(valueName !== undefined && { value: valueName }),
    }),
  })
  return { model, settings, epochs: course.epochs, seconds, stopped, ...errors }
}

/** JSON has no Infinity: settings that are off are left out. */
const finite = (record: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== Infinity))
