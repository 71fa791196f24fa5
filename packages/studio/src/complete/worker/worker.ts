/**
 * The worker of the Complete view: reads files, runs the solver and answers queries about the models. Its
 * state, data and models by the numbers of their jobs, is module state because each page has one such worker.
 */
import { CpModel, encodeModel, InputError, type SparseTensor } from 'lacuna'
import { type CpEnsemble, decodeAnyModel, encodeEnsemble } from 'lacuna/folds'
import { countsRemark } from 'lacuna/internal'
import type { Progress } from '../../run/interactiveRun.ts'
import { type CallContext, sendEvent, serveCalls } from '../../run/remote.ts'
import type {
  DataSummary,
  GapMap,
  LearnSettings,
  ModelSummary,
  Opened,
  ReadSettings,
  RunKind,
  StoredModel,
  TestResult,
  TrialSummary,
} from '../protocol.ts'
import type { SideTable, SideTableOffer } from '../sideTables.ts'
import type { HeldModel } from './answers/answeringModel.ts'
import { foldStored } from './answers/foldLines.ts'
import { modelQueries } from './answers/queries.ts'
import { mapGaps } from './gapMap.ts'
import { hashStream } from './hashStream.ts'
import { holdOut, judgeOnEntries, type Learner, startLearning } from './learn/index.ts'
import { checkTensorSize, inspectFile, readFile } from './openFile.ts'
import { packFiles, unpackFiles } from './packFiles.ts'
import { featuresOf, inspectSideTable, readSideTable } from './readSideTable.ts'
import { summarizeData, summarizeModel } from './summary.ts'

/** Data that was read, with the name of its file. */
interface HeldData {
  name: string
  tensor: SparseTensor
}

/** An event of a job: the page drops those of jobs that it no longer awaits. */
export interface JobEvent<T> {
  job: number
  value: T
}

/** Data by the number of the job that read it. */
const datasets = new Map<number, HeldData>()
/** Models by the number of their run, or of the job that opened them. */
const models = new Map<number, HeldModel>()
/** The runs that are active, by their number. */
const learners = new Map<number, Learner>()
/** The tables beside the data of the opened file. */
let sideTables: readonly SideTable[] = []
/** The run whose model queries are about. */
let shown: number | undefined

/** The functions that the page calls by name (run/remote.ts). */
const functions = {
  /** Finds out what a file contains. A model is held under the number of the job; data is only read by `read`. */
  async inspect(this: CallContext, job: number, file: File): Promise<Opened> {
    const found = await inspectFile(file)
    this.signal.throwIfAborted()
    if (found.model) models.set(job, { model: found.model, folded: [] })
    return found.opened
  },

  /**
   * Reads a file and holds its data under the number of the job; sends `reading` events with the fraction read.
   * Ends early if the call is cancelled.
   */
  async read(this: CallContext, job: number, file: File, reading: ReadSettings): Promise<DataSummary> {
    const { signal } = this
    const { tensor, remarks, questions, isKept } = await readFile(file, reading, (fraction) => {
      signal.throwIfAborted()
      sendEvent('reading', { job, value: fraction } satisfies JobEvent<number>)
    })
    signal.throwIfAborted()
    checkTensorSize(file.name, tensor.dims, tensor.values.length, 1)
    datasets.set(job, { name: file.name, tensor })
    const isCounts = countsRemark(tensor) !== undefined
    return { ...summarizeData(tensor, remarks), questions, isKept, isCounts }
  },

  /** How the cells of data are missing, over two modes. */
  gaps: (data: number, rows: number, columns: number): GapMap => mapGaps(dataOf(data).tensor, rows, columns),

  /**
   * Runs the solver on data and holds the model under the number of the run; sends `epoch`, `trial`,
   * `checkpoint` and `activity` events.
   * @param checkpoint of a run with these settings on the same data, from which it continues
   */
  async start(
    this: CallContext,
    job: number,
    data: number,
    kind: RunKind,
    settings: LearnSettings,
    checkpoint?: Uint8Array,
  ): Promise<ModelSummary> {
    const { signal } = this
    const { name, tensor } = dataOf(data)
    const rank = settings.rank === 'auto' ? 1 : settings.rank
    checkTensorSize(name, tensor.dims, tensor.values.length, rank)
    const learner = startLearning({
      ...{ kind, name, tensor, settings, signal, checkpoint },
      features: settings.features === undefined ? undefined : featuresOf(tensor, sideTables),
      onCheckpoint: (value) => sendEvent('checkpoint', { job, value } satisfies JobEvent<Uint8Array>),
      onEpoch: (value) => sendEvent('epoch', { job, value } satisfies JobEvent<Progress>),
      onTrial: (value) => sendEvent('trial', { job, value } satisfies JobEvent<TrialSummary>),
      onActivity: (value) => sendEvent('activity', { job, value } satisfies JobEvent<string>),
    })
    learners.set(job, learner)
    signal.addEventListener('abort', () => learner.stop())
    try {
      const { model, heldOut, extra } = await learner.result
      signal.throwIfAborted()
      models.set(job, { model, data: tensor, heldOut: () => heldOut, folded: [] })
      return summarizeModel(model, { observed: true, ...extra })
    } finally {
      learners.delete(job)
    }
  },

  /**
   * Evaluates the model of a run on a test file, whose rows are found by their labels.
   * @param hasZeros whether cells that are not listed are zeros for the run
   */
  async evaluateFile(run: number, file: File, reading: ReadSettings, hasZeros: boolean): Promise<TestResult> {
    const { model, data } = modelOf(run)
    const { tensor, remarks } = await readFile(file, reading, () => {}, model)
    const { verdict, calibration } = await judgeOnEntries(model, data ?? tensor, tensor, file.name, hasZeros)
    if (!verdict || !calibration)
      throw new InputError('option', `${file.name} has no entries of rows that the model knows.`)
    return { name: file.name, verdict, calibration, remarks }
  },

  /** Pauses a run before its next round. */
  pause: (run: number) => learners.get(run)?.pause(),
  /** Ends the pause of a run. */
  resume: (run: number) => learners.get(run)?.resume(),
  /** Stops a run, which then ends with its best model so far. */
  stop: (run: number) => learners.get(run)?.stop(),

  /**
   * Drops data and models that are not among these numbers, and sets the run that queries are about.
   * @param ids the numbers of the data and runs that the page still shows or awaits
   */
  retain(ids: number[], run: number | undefined): void {
    for (const held of [datasets, models])
      for (const id of held.keys()) if (!ids.includes(id)) held.delete(id)
    shown = run
  },

  /**
   * Holds a stored model under the number of its run.
   * @param data the number of the data it was learned from; undefined if that is not read
   * @param folded the lines of rows that were folded in
   * @param settings of its run, by which the held-out entries are found again
   */
  async restoreModel(
    run: number,
    data: number | undefined,
    { bytes, folded = [] }: StoredModel,
    settings?: LearnSettings,
  ): Promise<void> {
    const held: HeldModel = { model: decodeAnyModel(bytes, 'model.npz'), folded: [], settings }
    models.set(run, held)
    if (data !== undefined) attachTensor(held, dataOf(data).tensor)
    await foldStored(held, folded)
  },

  /** Folds rows into an opened model again, after a reload. */
  async foldAgain(run: number, folded: readonly string[]): Promise<ModelSummary> {
    const held = modelOf(run)
    await foldStored(held, folded)
    return summarizeModel(held.model, { observed: held.data !== undefined }, held.extended)
  },

  /** Attaches data to the model of a run, which was restored before its data was read. */
  attachData(run: number, data: number): void {
    const held = models.get(run)
    if (held) attachTensor(held, dataOf(data).tensor)
  },

  /**
   * Finds out whether a table has names or attributes of rows of the data, or of the shown model if there is no
   * data; undefined if it has none.
   */
  inspectBeside: (data: number | undefined, file: File): Promise<SideTableOffer | undefined> =>
    inspectSideTable(modesOf(data), file),
  /** Reads names or attributes of rows from a table. */
  readBeside: (data: number | undefined, file: File, kind: SideTable['kind']): Promise<SideTable> =>
    readSideTable(modesOf(data), file, kind),
  /** Sets the tables beside the data. */
  setSideTables(tables: readonly SideTable[]): void {
    sideTables = tables
  },

  packFiles,
  unpackFiles,

  /** The hash of a file's content, by which a session knows it again. */
  hashFile(this: CallContext, file: File): Promise<string> {
    return hashStream(file.stream(), this.signal)
  },

  ...modelQueries(shownModel, () => sideTables),
  /** The model that is shown, with rows of the user's own, as the bytes of an .npz file. */
  modelFile: (): Uint8Array => encodeAnyModel(shownModel().extended ?? currentModel()),
  /** The model that is shown as it was learned, as the bytes of an .npz file. */
  learnedFile: (): Uint8Array => encodeAnyModel(currentModel()),
  /** The model of a run as it was learned, and the rows that were folded in since, to be stored. */
  storedModel(run: number): StoredModel {
    const { model, folded } = modelOf(run)
    return { bytes: encodeAnyModel(model), folded: folded.map(({ lines }) => lines) }
  },
}

/** The functions that the page can call. */
export type CompleteFunctions = typeof functions

/** The data that was read by a job; throws if there is none. */
function dataOf(job: number): HeldData {
  const held = datasets.get(job)
  if (!held) throw new InputError('option', 'There is no data yet; drop a file first.')
  return held
}

/** The model of a run; throws if it is no longer there. */
function modelOf(run: number): HeldModel {
  const held = models.get(run)
  if (!held) throw new InputError('option', 'The model of this run is no longer there.')
  return held
}

/** The modes of data, or of the shown model. */
const modesOf = (data: number | undefined): Pick<SparseTensor, 'labels' | 'modes'> =>
  data === undefined ? currentModel() : dataOf(data).tensor

/** Attaches the data that a restored model was learned from, and finds its held-out entries again when asked for. */
function attachTensor(held: HeldModel, tensor: SparseTensor): void {
  held.data = tensor
  const { settings } = held
  let found: { entries: SparseTensor | undefined } | undefined
  if (settings)
    held.heldOut = () => {
      found ??= { entries: holdOut(tensor, settings).validation }
      return found.entries
    }
}

/** The model that is shown, with its data; throws if there is none. */
function shownModel(): HeldModel {
  const held = shown === undefined ? undefined : models.get(shown)
  if (!held) throw new InputError('option', 'There is no model yet; run first.')
  return held
}

/** The model that is shown; throws if there is none. */
const currentModel = (): CpModel | CpEnsemble => shownModel().model

/** Encodes a model or an ensemble as an .npz file. */
const encodeAnyModel = (model: CpModel | CpEnsemble): Uint8Array =>
  model instanceof CpModel ? encodeModel(model) : encodeEnsemble(model)

serveCalls(functions)
