/** Reads, completes and explores a tensor off the page's thread. */
import { CpModel, encodeModel, InputError, type SparseTensor, split } from 'lacuna'
import { type CpEnsemble, encodeEnsemble } from 'lacuna/folds'
import { explainStop } from 'lacuna/internal'
import { answerCalls, tell } from '../solving/remote.ts'
import { type RunSettings, Solving } from '../solving/solving.ts'
import * as explore from './explore.ts'
import { foldLines } from './foldLines.ts'
import { checkTensorSize, inspect, type Reading, read } from './opening.ts'
import { predictionsCsv } from './predictions.ts'
import type {
  Component,
  DataSummary,
  Folded,
  ModelSummary,
  Opened,
  Prediction,
  Ranked,
  Slice,
} from './protocol.ts'
import { summarizeData, summarizeModel } from './summary.ts'

let data: { name: string; tensor: SparseTensor } | undefined
let solving: Solving | undefined
let model: CpModel | CpEnsemble | undefined
/** Entries of rows that were added to the model. */
let folded: SparseTensor[] = []

const functions = {
  /** Says what a file is; a model is taken over at once, data by `read`. */
  async inspect(file: File): Promise<Opened> {
    const found = await inspect(file)
    if (found.model) {
      functions.drop()
      data = undefined
      model = found.model
    }
    return found.opened
  },

  async read(file: File, reading: Reading): Promise<DataSummary> {
    const { tensor, remarks } = await read(file, reading, (share) => tell('reading', share))
    checkTensorSize(file.name, tensor.dims, tensor.values.length, 1)
    functions.drop()
    data = { name: file.name, tensor }
    return summarizeData(tensor, remarks)
  },

  /** A new problem: some entries are held out, the same ones for the same seed as on the command line. */
  prepare(heldOut: number, seed: number, rank: number): void {
    functions.drop()
    if (!data) throw new InputError('option', 'There is no data yet; drop a file first.')
    const { name, tensor } = data
    checkTensorSize(name, tensor.dims, tensor.values.length, rank)
    const { train, validation } =
      heldOut > 0 ? split(tensor, { validation: heldOut }, seed) : { train: tensor }
    const mine = new Solving(
      train,
      { validation },
      { onEpoch: (progress) => mine === solving && tell('epoch', progress) },
    )
    solving = mine
  },

  async run(settings: RunSettings): Promise<ModelSummary> {
    if (!solving) throw new InputError('option', 'There is no data yet; drop a file first.')
    checkTensorSize(data!.name, data!.tensor.dims, data!.tensor.values.length, settings.rank)
    const completion = await solving.run(settings)
    model = completion.model
    folded = []
    const { train, validation, stopped } = completion
    return summarizeModel(model, {
      train,
      validation,
      observed: true,
      stopped: explainStop(stopped, completion.settings),
    })
  },

  pause: () => solving?.pause(),
  resume: () => solving?.resume(),
  change: (settings: RunSettings) => solving?.change(settings),
  drop(): void {
    void solving?.close()
    solving = undefined
    model = undefined
    folded = []
  },

  /** Brings back a model after a reload, for the data there is. */
  restoreModel(bytes: Uint8Array): Promise<Opened> {
    const kept = data
    return functions.inspect(new File([bytes as Uint8Array<ArrayBuffer>], 'model.npz')).then((opened) => {
      data = kept
      return opened
    })
  },

  components: (): Component[] => explore.components(known()),
  suggest: (mode: number, text: string): string[] => known().suggest(mode, text),
  predict: (labels: string[]): Prediction => explore.predict(known(), observed(), coordinate(labels)),
  top: (
    labels: string[],
    mode: number,
    most: number,
    filter: { skipObserved: boolean; minEntries: number },
  ): Ranked[] => explore.top(known(), observed(), coordinate(labels, [mode]), mode, most, filter),
  /** New rows, as lines of labels and a value. */
  async foldIn(lines: string): Promise<Folded> {
    const one = known()
    if (!(one instanceof CpModel))
      throw new InputError(
        'option',
        'New rows go into one model, and these are several that were learned by folds.',
      )
    const found = await foldLines(one, lines)
    folded.push(found.entries)
    model = found.model
    return { model: summarizeModel(model, { observed: true }), added: found.added }
  },
  slice: (labels: string[], rows: number, columns: number): Slice =>
    explore.slice(known(), observed(), coordinate(labels, [rows, columns]), rows, columns),
  modelFile: (): Uint8Array => {
    const any = known()
    return any instanceof CpModel ? encodeModel(any) : encodeEnsemble(any)
  },
  predictions: (): Blob => predictionsCsv(known(), observed()),
}

export type CompleteFunctions = typeof functions

function known(): CpModel | CpEnsemble {
  if (!model) throw new InputError('option', 'There is no model yet; run first.')
  return model
}

/** What was observed: the data, and the entries of rows that are new. */
function observed(): SparseTensor | undefined {
  const all = [...(data ? [data.tensor] : []), ...folded]
  if (all.length < 2) return all[0]
  const { dims } = known()
  return {
    ...all[0],
    dims,
    indices: dims.map((_, mode) => Uint32Array.from(all.flatMap(({ indices }) => [...indices[mode]]))),
    values: Float32Array.from(all.flatMap(({ values }) => [...values])),
  }
}

/** Labels as indices; the free modes have none. */
function coordinate(labels: string[], free: number[] = []): number[] {
  return labels.map((label, mode) => (free.includes(mode) ? 0 : known().lookup.row(mode, label)))
}

answerCalls(functions)
