/** Rows of a table with their predictions, as text. */
import type { DuckDBValue } from '@duckdb/node-api'
import type { TableText } from '../../table/rowStyle.ts'
import { LONGEST_FLOAT32, writeFloat32 } from '../../text/writeNumber.ts'
import type { Queries } from './queries.ts'

export interface PredictedBatch {
  /** One per row; NaN where there is none. */
  predictions: Float32Array
  /** A list of fields per column asked for. */
  fields: DuckDBValue[][]
}

const isJson = (format: TableText | undefined): boolean => format === 'json' || format === 'ndjson'

/** SQL for what of a row is needed to write it. */
export function rowColumns({ texts }: Queries, format: TableText | undefined): readonly string[] {
  if (!format) return []
  return isJson(format) ? ['CAST(to_json(queries) AS VARCHAR)'] : texts
}

/** The last of the names is that of the prediction. */
export async function* predictionText(
  batches: AsyncIterable<PredictedBatch>,
  names: readonly string[],
  format: TableText,
): AsyncGenerator<string> {
  const delimiter = format === 'tsv' ? '\t' : ','
  const line = (fields: readonly (string | null)[]) =>
    fields.map((text) => field(text, delimiter)).join(delimiter)
  const key = JSON.stringify(names[names.length - 1])
  let rows = 0
  if (!isJson(format)) yield `${line(names)}\n`
  for await (const { predictions, fields } of batches) {
    let text = ''
    predictions.forEach((prediction, row) => {
      const y = Number.isNaN(prediction) ? null : decimal(prediction)
      if (isJson(format)) {
        const object = `${String(fields[0][row]).slice(0, -1)},${key}:${y}}`
        text += format === 'ndjson' ? `${object}\n` : `${rows++ === 0 ? '[' : ','}\n${object}`
      } else text += `${line([...fields.map((column) => column[row] as string | null), y])}\n`
    })
    yield text
  }
  if (format === 'json') yield rows === 0 ? '[]\n' : '\n]\n'
}

/** In quotes where it must be; no text at all is an empty field, an empty text a pair of quotes. */
function field(text: string | null, delimiter: string): string {
  if (text === null) return ''
  const plain = text !== '' && !/["\r\n]/.test(text) && !text.includes(delimiter) && text === text.trim()
  return plain ? text : `"${text.replaceAll('"', '""')}"`
}

const scratch = new Uint8Array(LONGEST_FLOAT32)
const decimal = (x: number): string =>
  new TextDecoder().decode(scratch.subarray(0, writeFloat32(scratch, 0, x)))
