/**
 * The worker of the Complete view: reads a file, runs the solver and answers queries about the model. Its
 * state, one data set and one model, is module state because each page has one such worker.
 */
import { CpModel, encodeModel, InputError, type SparseTensor, split } from 'lacuna'
import { type CpEnsemble, encodeEnsemble } from 'lacuna/folds'
import { explainStop } from 'lacuna/internal'
import { InteractiveRun, type RunSettings } from '../../run/interactiveRun.ts'
import { sendEvent, serveCalls } from '../../run/remote.ts'
import type {
  Component,
  DataSummary,
  FoldInOutcome,
  ModelSummary,
  Opened,
  Prediction,
  Ranked,
  ReadSettings,
  Slice,
} from '../protocol.ts'
import { listComponents, predictCell, rankRows, readSlice } from './explore.ts'
import { foldLines } from './foldLines.ts'
import { checkTensorSize, inspectFile, readFile } from './openFile.ts'
import { predictionsCsv } from './predictions.ts'
import { summarizeData, summarizeModel } from './summary.ts'

/** The data that was read, with the name of its file. */
let data: { name: string; tensor: SparseTensor } | undefined
/** The run on the data, once it was prepared. */
let run: InteractiveRun | undefined
/** The model that queries are about: learned, opened, or restored after a reload. */
let model: CpModel | CpEnsemble | undefined
/** The entries from which new rows were folded in. */
let foldedEntries: SparseTensor[] = []

/** The functions that the page calls by name (run/remote.ts). */
const functions = {
  /** Finds out what a file contains. A model becomes the current one; data is only read by `read`. */
  async inspect(file: File): Promise<Opened> {
    const found = await inspectFile(file)
    if (found.model) {
      functions.drop()
      data = undefined
      model = found.model
    }
    return found.opened
  },

  /** Reads a file into the current data; sends `reading` events with the fraction read. */
  async read(file: File, reading: ReadSettings): Promise<DataSummary> {
    const { tensor, remarks } = await readFile(file, reading, (fraction) => sendEvent('reading', fraction))
    checkTensorSize(file.name, tensor.dims, tensor.values.length, 1)
    functions.drop()
    data = { name: file.name, tensor }
    return summarizeData(tensor, remarks)
  },

  /**
   * Prepares a run on the current data.
   * @param heldOut the fraction of the entries held out; the same entries for the same seed as on the command
   * line
   */
  prepare(heldOut: number, seed: number, rank: number): void {
    functions.drop()
    if (!data) throw new InputError('option', 'There is no data yet; drop a file first.')
    const { name, tensor } = data
    checkTensorSize(name, tensor.dims, tensor.values.length, rank)
    const { train, validation } =
      heldOut > 0 ? split(tensor, { validation: heldOut }, seed) : { train: tensor }
    const prepared: InteractiveRun = new InteractiveRun(
      train,
      { validation },
      { onEpoch: (progress) => prepared === run && sendEvent('epoch', progress) },
    )
    run = prepared
  },

  /** Runs the solver; sends `epoch` events. */
  async run(settings: RunSettings): Promise<ModelSummary> {
    if (!run) throw new InputError('option', 'There is no data yet; drop a file first.')
    checkTensorSize(data!.name, data!.tensor.dims, data!.tensor.values.length, settings.rank)
    const completion = await run.run(settings)
    model = completion.model
    foldedEntries = []
    const { train, validation, stopped } = completion
    return summarizeModel(model, {
      train,
      validation,
      observed: true,
      stopped: explainStop(stopped, completion.settings),
    })
  },

  /** Pauses before the next round. */
  pause: () => run?.pause(),
  /** Ends the pause. */
  resume: () => run?.resume(),
  /** Applies other settings before the next round, and ends a pause. */
  change: (settings: RunSettings) => run?.change(settings),
  /** Discards the run and the model; the data stays. */
  drop(): void {
    void run?.close()
    run = undefined
    model = undefined
    foldedEntries = []
  },

  /** Restores the model of the current data after a reload. */
  restoreModel(bytes: Uint8Array): Promise<Opened> {
    const current = data
    return functions.inspect(new File([bytes as Uint8Array<ArrayBuffer>], 'model.npz')).then((opened) => {
      data = current
      return opened
    })
  },

  /** The components of the model, by decreasing share. */
  components: (): Component[] => listComponents(currentModel()),
  /** Labels of a mode that match a text that the user types. */
  suggest: (mode: number, text: string): string[] => currentModel().suggest(mode, text),
  /** The prediction of a cell. @param labels per mode, the label of the row */
  predict: (labels: string[]): Prediction => predictCell(currentModel(), observedEntries(), findRows(labels)),
  /** The rows of a mode with the largest predictions; the other modes are fixed by their labels. */
  top: (
    labels: string[],
    mode: number,
    most: number,
    filter: { skipObserved: boolean; minEntries: number },
  ): Ranked[] => rankRows(currentModel(), observedEntries(), findRows(labels, [mode]), mode, most, filter),
  /** Folds in new rows. @param lines one entry per line: a label per mode, and the value */
  async foldIn(lines: string): Promise<FoldInOutcome> {
    const found = await foldLines(currentModel(), lines)
    foldedEntries.push(found.entries)
    model = found.model
    return { model: summarizeModel(model, { observed: true }), added: found.added }
  },
  /** A matrix of the tensor: the modes `rows` and `columns` vary, the others are fixed by their labels. */
  slice: (labels: string[], rows: number, columns: number): Slice =>
    readSlice(currentModel(), observedEntries(), findRows(labels, [rows, columns]), rows, columns),
  /** The model as the bytes of an .npz file. */
  modelFile: (): Uint8Array => {
    const current = currentModel()
    return current instanceof CpModel ? encodeModel(current) : encodeEnsemble(current)
  },
  /** The predictions as a .csv file. */
  predictions: (): Blob => predictionsCsv(currentModel(), observedEntries()),
}

/** The functions that the page can call. */
export type CompleteFunctions = typeof functions

/** The model; throws if there is none. */
function currentModel(): CpModel | CpEnsemble {
  if (!model) throw new InputError('option', 'There is no model yet; run first.')
  return model
}

/** The observed entries: those of the data and those of the rows that were folded in. */
function observedEntries(): SparseTensor | undefined {
  const all = [...(data ? [data.tensor] : []), ...foldedEntries]
  if (all.length < 2) return all[0]
  const { dims } = currentModel()
  return {
    ...all[0],
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(all.flatMap(({ indices }) => [...indices[mode]]))),
    values: Float32Array.from(all.flatMap(({ values }) => [...values])),
  }
}

/** The row of each mode's label; 0 for the free modes, whose label is not read. */
function findRows(labels: string[], free: number[] = []): number[] {
  return labels.map((label, mode) => (free.includes(mode) ? 0 : currentModel().lookup.row(mode, label)))
}

serveCalls(functions)
