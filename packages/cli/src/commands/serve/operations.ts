/**
 * The operations on a served model: for each, its request and answer schemas and the function that computes the
 * answer.
 */
import { InputError, type SparseTensor } from 'lacuna'
import { evaluate } from 'lacuna/answers'
import { CpEnsemble } from 'lacuna/folds'
import {
  countRows,
  indicesOf,
  isUnknownLabel,
  listEntries,
  locateCells,
  type ServedModel,
} from './columns.ts'
import { checkNewRows, newRowsByMode } from './newRows.ts'
import * as schemas from './schemas/index.ts'
import { check, type Infer, type Schema } from './schemas/index.ts'

/** A question of one kind. */
export interface Operation {
  /** One sentence for the OpenAPI document. */
  summary: string
  request: Schema
  answer: Schema
  /** Answers a request that fits the schema. */
  run(model: ServedModel, request: never): object
  /** A line of a stream of NDJSON; undefined where there are no streams. */
  line?: { request: Schema; answer: Schema; run(model: ServedModel, request: never): object }
}

/** Predicts cells, with intervals if they are asked for. */
function predict(
  model: ServedModel,
  { cells, clip, interval, unknown: answerToUnknown }: Infer<typeof schemas.predictRequest>,
): object {
  const { columns, unknown } = locateCells(model, cells, answerToUnknown === 'null')
  const list = (numbers: Float32Array): (number | null)[] => {
    const all = Array.from(numbers, (x) => (Number.isNaN(x) ? null : x))
    for (const at of unknown) all[at] = null
    return all
  }
  if (interval === undefined) return { predictions: list(model.predictMany(columns, { clip })) }
  if (!(model instanceof CpEnsemble))
    throw new InputError('option', 'Only models of --folds or --best have intervals; leave interval out.')
  const { values, low, high } = model.intervalMany(columns, interval)
  return { predictions: list(values), low: list(low), high: list(high) }
}

/** Ranks the rows of a mode. */
const top = (model: ServedModel, request: Infer<typeof schemas.topRequest>): object => ({
  rows: model.top(request),
})

/** Describes the components, without the profiles of all rows. */
function components(model: ServedModel, request: Infer<typeof schemas.componentsRequest>): object {
  return {
    components: model.components(request).map(({ number, share, found, modes }) => ({
      ...{ number, share, found },
      modes: modes.map(({ name, strongest }) => ({
        name,
        strongest: strongest.map(({ row, label, weight, lift, entries }) => ({
          row,
          label,
          weight,
          lift,
          entries,
        })),
      })),
    })),
  }
}

/** The labels, in the mode that is ranked, of the entries of the row that it is ranked for. */
function ownLabels(
  entries: readonly schemas.Entry[],
  { of, for: row = {} }: Infer<typeof schemas.topRequest>,
): (string | number | boolean)[] {
  const isOwn = (entry: schemas.Entry): boolean =>
    Object.entries(row).every(([mode, label]) => String(entry[mode]) === String(label))
  return entries.filter((entry) => isOwn(entry) && Object.hasOwn(entry, of)).map((entry) => entry[of])
}

/** Solves new rows from their entries, and answers questions about them; the served model stays as it is. */
function foldIn(model: ServedModel, request: Infer<typeof schemas.foldInRequest>): object {
  const entries = listEntries(request.entries)
  checkNewRows(model, entries)
  const larger: ServedModel = model.foldIn(entries, { value: request.value })
  const { top: question, cells, clip } = request
  return {
    newRows: newRowsByMode(model, larger),
    // By default the labels of a row's own entries are not recommended to it.
    ...(question && {
      top: top(larger, { ...question, exclude: question.exclude ?? ownLabels(entries, question) }),
    }),
    ...(cells && predict(larger, { cells, clip })),
  }
}

/** Measures the errors on entries whose rows the model knows. */
function evaluateEntries(model: ServedModel, request: Infer<typeof schemas.evaluateRequest>): object {
  const trained = model.training.value
  const { clip, value = typeof trained === 'string' ? trained : 'value' } = request
  const entries = listEntries(request.entries)
  const cells: (readonly number[])[] = []
  const values: number[] = []
  entries.forEach((entry, at) => {
    const x = entry[value]
    if (typeof x !== 'number')
      throw new InputError('value', `Row ${at + 1}: ${value} is ${x}; it must be a number.`)
    try {
      cells.push(indicesOf(model, entry))
      values.push(x)
    } catch (error) {
      if (isUnknownLabel(error)) return
      throw error instanceof InputError ? error.within(`Row ${at + 1}`) : error
    }
  })
  if (values.length === 0)
    throw new InputError('empty', 'The model knows the rows of none of these entries; give others.')
  const test: SparseTensor = {
    dims: model.dims,
    indices: locateCells(model, cells, false).columns,
    values: Float32Array.from(values),
  }
  const { modes: _modes, calibration: _calibration, ...errors } = evaluate(model, test, { clip })
  return { ...errors, unknown: entries.length - values.length }
}

/** All operations on a model by name, which is the last part of their path. Updates are made by the writer. */
export const operations = {
  predict: {
    summary: 'Predicts cells; as NDJSON a cell per line, answered line by line.',
    request: schemas.predictRequest,
    answer: schemas.predictAnswer,
    run: predict,
    line: {
      request: schemas.cellLine,
      answer: schemas.predictLine,
      run: (model, cell: readonly number[]) => ({ prediction: model.predict(indicesOf(model, cell)) }),
    },
  },
  top: {
    summary: 'Ranks the rows of a mode by their predictions; as NDJSON a question per line.',
    request: schemas.topRequest,
    answer: schemas.topAnswer,
    run: top,
    line: { request: schemas.topRequest, answer: schemas.topAnswer, run: top },
  },
  similar: {
    summary: 'Finds the rows of a mode that are most similar to one of them.',
    request: schemas.similarRequest,
    answer: schemas.similarAnswer,
    run: (model, { mode, label, ...options }: Infer<typeof schemas.similarRequest>) => ({
      rows: model.similar(mode, label, options),
    }),
  },
  components: {
    summary: 'Describes the components, the one with the largest share first.',
    request: schemas.componentsRequest,
    answer: schemas.componentsAnswer,
    run: components,
  },
  'fold-in': {
    summary: 'Solves new rows from their entries and answers questions about them; nothing is stored.',
    request: schemas.foldInRequest,
    answer: schemas.foldInAnswer,
    run: foldIn,
  },
  evaluate: {
    summary: 'Measures errors of the predictions on entries, beside simple baselines.',
    request: schemas.evaluateRequest,
    answer: schemas.evaluateAnswer,
    run: evaluateEntries,
  },
} as const satisfies Record<string, Operation>

/** The name of an operation. */
export type OperationName = keyof typeof operations

/**
 * Answers a request as JSON, or lines of NDJSON one by one. Throws an InputError on a request that is wrong; in
 * NDJSON the line of a wrong request is an object with the sentence.
 * @param mostRows most cells, entries or lines
 */
export function answer(
  model: ServedModel,
  name: OperationName,
  text: string,
  { isLines, mostRows }: { isLines: boolean; mostRows: number },
): string {
  const operation: Operation = operations[name]
  if (!isLines) {
    const request = parseJson(text)
    check(request, operation.request)
    checkRows(request as object, mostRows)
    return JSON.stringify(operation.run(model, request as never))
  }
  const { line } = operation
  if (!line) throw new InputError('format', `${name} takes JSON, not NDJSON.`)
  const answers = text.split('\n').filter((each) => each.trim() !== '')
  return answers
    .map((each) => {
      try {
        const request = parseJson(each, 'The line')
        check(request, line.request, 'The line')
        return `${JSON.stringify(line.run(model, request as never))}\n`
      } catch (error) {
        if (!(error instanceof InputError)) throw error
        return `${JSON.stringify({ error: error.message })}\n`
      }
    })
    .join('')
}

/** Parses JSON; throws an InputError if it is none. */
export function parseJson(text: string, what = 'The body'): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new InputError('format', `${what} is not JSON.`)
  }
}

/** Throws if a request has more cells or entries than are allowed. */
export function checkRows(request: object, mostRows: number): void {
  for (const [name, given] of Object.entries(request)) {
    const rows = typeof given === 'object' && given !== null ? countRows(given) : 0
    if (rows > mostRows)
      throw new InputError(
        'memory',
        `${name} has ${rows} rows, more than the ${mostRows} that this server allows; send several requests.`,
      )
  }
}
