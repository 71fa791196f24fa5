/** `lacuna predict` at the coordinates of a .tns file. */
import { InputError } from 'lacuna'
import {
  type Coordinates,
  endings,
  hasEnding,
  numberAsText,
  type RowIntervals,
  readCoordinates,
  type TensorModel,
  writeFileWhole,
} from 'lacuna/internal'
import { RowPredictor } from 'lacuna/tables'
import { print } from '../../print/print.ts'
import type { Progress } from '../../print/terminal.ts'
import type { PredictOptions } from './options.ts'
import { intervalsOf, reportQuality, reportWithoutInterval } from './predictions.ts'

/**
 * Predicts at the coordinates of a .tns file, and writes them as .tns or JSON lines; throws for options that
 * go with tables.
 * @param name of the file in messages
 */
export async function predictCoordinates(
  model: TensorModel,
  name: string,
  source: AsyncIterable<Uint8Array>,
  { output, json, fallback, value, modes, clip, interval }: PredictOptions,
  progress: Progress,
): Promise<void> {
  if (fallback !== undefined || value !== undefined || modes)
    throw new InputError(
      'option',
      `${name}: --fallback, --modes and --value go with tables; a .tns file has indices.`,
    )
  if (output && output !== '-' && !hasEnding(output, endings.tns))
    throw new InputError(
      'option',
      `${output}: predictions at .tns coordinates are .tns, too; use .tns or .tns.gz.`,
    )
  if (interval !== undefined && (!json || (output !== undefined && output !== '-')))
    throw new InputError(
      'option',
      `${name}: a line of .tns has one value, and no room for --interval; add --json and leave out -o, or ask by a table.`,
    )
  const intervals = intervalsOf(model, interval)
  const { dims } = model
  const queries = await readCoordinates(source, { name, order: dims.length, dims })
  const predictor = new RowPredictor(model, undefined, { clip })
  const texts = predictionLines(queries, predictor, json ?? false, intervals)
  if (output && output !== '-') await writeFileWhole(output, encodeTexts(texts))
  else for (const text of texts) await print(text)
  reportQuality(predictor, intervals, progress)
  reportWithoutInterval(model, intervals, progress)
}

/** Number of lines that are predicted and written at once. */
const LINES_AT_ONCE = 2 ** 14

/** Yields lines of coordinates (from 1) and predictions, as .tns or JSON, LINES_AT_ONCE in each text. */
function* predictionLines(
  { indices, values }: Coordinates,
  predictor: RowPredictor,
  json: boolean,
  intervals: RowIntervals | undefined,
): Generator<string> {
  const length = indices[0].length
  for (let start = 0; start < length; start += LINES_AT_ONCE) {
    const end = Math.min(length, start + LINES_AT_ONCE)
    const batchIndices = indices.map((column) => Float64Array.from(column.subarray(start, end)))
    const observed = values
      ? Float64Array.from(values.subarray(start, end))
      : new Float64Array(end - start).fill(NaN)
    const batch = { rowCount: end - start, indices: batchIndices, observed }
    const predictions = predictor.predict(batch)
    const ends = intervals?.ends(batch, predictions)
    let text = ''
    predictions.forEach((y, e) => {
      const coordinates = batchIndices.map((column) => column[e] + 1)
      text += json
        ? `{"coordinates":[${coordinates.join()}],"prediction":${numberAsText(y)}${ends ? `,"low":${jsonNumber(ends[0][e])},"high":${jsonNumber(ends[1][e])}` : ''}}\n`
        : `${coordinates.join(' ')} ${numberAsText(y)}\n`
    })
    yield text
  }
}

/** A number as JSON; null for NaN. */
const jsonNumber = (x: number): string => (Number.isNaN(x) ? 'null' : numberAsText(x))

/** Encodes texts as UTF-8. */
function* encodeTexts(texts: Iterable<string>): Generator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text)
}
