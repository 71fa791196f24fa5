/**
 * Parquet files in the page: hyparquet delivers the columns, which are made cells of here. Loaded when the
 * first one is opened: 200 kB, where DuckDB for the web would take 34 MB and fetch its Parquet from another
 * host.
 */

import { InputError } from 'lacuna'
import { type Batch, type Cells, type ColumnType, cellsOf, columnType, type Wanted } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'

type Metadata = Awaited<ReturnType<typeof import('hyparquet').parquetMetadataAsync>>

/** So many rows are looked at to guess what the columns are. */
const SAMPLE_ROWS = 20_480

export async function parquetTable(file: File): Promise<Table> {
  const [hyparquet, { compressors }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ])
  const { name, size } = file
  const bytes = { byteLength: size, slice: (from: number, to?: number) => file.slice(from, to).arrayBuffer() }
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof InputError) throw error
      const fault = error instanceof Error ? error.message.split('\n')[0].replace(/\.$/, '') : String(error)
      throw new InputError(
        'format',
        `${name}: this is not a whole Parquet file (${fault}); fetch or write it again.`,
      )
    }
  }
  const metadata = await explained(() => hyparquet.parquetMetadataAsync(bytes))
  const columns = hyparquet.parquetSchema(metadata).children.map(({ element }) => ({
    name: element.name,
    type: typeOf(element, metadata),
    isFloat: element.type === 'FLOAT',
  }))
  // Times as numbers, to the microsecond.
  const parsers = {
    timestampFromMilliseconds: (ms: bigint) => Number(ms) * 1e3,
    timestampFromMicroseconds: (us: bigint) => Number(us),
    timestampFromNanoseconds: (ns: bigint) => Number(ns / 1000n),
    dateFromDays: (days: number) => days,
  }

  async function* read(wanted: readonly Wanted[], most = Number.POSITIVE_INFINITY): AsyncGenerator<Batch> {
    const names = [...new Set(wanted.map(({ column }) => columns[column].name))]
    let start = 0
    for (const group of metadata.row_groups) {
      if (start >= most) return
      const end = start + Number(group.num_rows)
      const parts = new Map(names.map((each) => [each, new Array<unknown>(end - start)]))
      await explained(() =>
        hyparquet.parquetRead({
          file: bytes,
          metadata,
          columns: names,
          rowStart: start,
          rowEnd: end,
          compressors,
          parsers,
          onChunk({ columnName, columnData, rowStart }) {
            const into = parts.get(columnName)
            for (let i = 0; i < columnData.length; i++) if (into) into[rowStart - start + i] = columnData[i]
          },
        }),
      )
      const first = start + 1
      yield {
        rowCount: end - start,
        columns: wanted.map(({ column }) => {
          const { name, type, isFloat } = columns[column]
          return cells(parts.get(name) ?? [], type, isFloat)
        }),
        file: name,
        lines: Uint32Array.from({ length: end - start }, (_, row) => first + row),
      }
      start = end
    }
  }

  return {
    name,
    columns,
    unit: 'row',
    read: (wanted) => read(wanted),
    async sample() {
      const all = columns.map((_, column) => ({ column }))
      for await (const batch of read(all, SAMPLE_ROWS)) return batch
      return { rowCount: 0, columns: [], file: name, lines: new Uint32Array(0) }
    },
  }
}

type Element = Metadata['schema'][number]

/** In the words of SQL; what is none of these is text. */
function typeOf(element: Element, metadata: Metadata): ColumnType {
  const { type, converted_type: converted, logical_type: logical, precision = 0, scale = 0 } = element
  if (converted === 'DECIMAL')
    return precision > 15 ? 'VARCHAR' : (columnType(`DECIMAL(${precision},${scale})`) ?? 'VARCHAR')
  if (converted === 'DATE') return 'DATE'
  if (converted?.startsWith('TIMESTAMP') || logical?.type === 'TIMESTAMP' || type === 'INT96')
    return 'TIMESTAMP'
  if (converted?.startsWith('TIME') || logical?.type === 'TIME') return 'VARCHAR'
  if (type === 'BOOLEAN') return 'BOOLEAN'
  if (type === 'INT32') return 'BIGINT'
  if (type === 'INT64') return fitsDouble(element.name, metadata) ? 'BIGINT' : 'HUGEINT'
  return type === 'FLOAT' || type === 'DOUBLE' ? 'DOUBLE' : 'VARCHAR'
}

/** Whether a column of 64 bits holds nothing beyond 2⁵³, as far as the file tells. */
function fitsDouble(column: string, { row_groups }: Metadata): boolean {
  return row_groups.every(({ columns }) => {
    const { statistics } =
      columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column)?.meta_data ?? {}
    const bounds = [statistics?.min_value ?? statistics?.min, statistics?.max_value ?? statistics?.max]
    return bounds.every(
      (bound) => typeof bound === 'bigint' && Math.abs(Number(bound)) <= Number.MAX_SAFE_INTEGER,
    )
  })
}

/** Whole numbers beyond what a double holds come as text. */
function cells(values: readonly unknown[], type: ColumnType, isFloat: boolean): Cells {
  if (type === 'VARCHAR' || type === 'HUGEINT') return cellsOf(values.map(textOf))
  const number = (value: unknown): number => (isFloat ? asWritten(Number(value)) : Number(value))
  return Float64Array.from(values, (value) =>
    value === null || value === undefined ? Number.NaN : number(value),
  )
}

/** A float32 as it is written, not as the double that it is: 0.1, not 0.10000000149. */
function asWritten(x: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits))
    if (Math.fround(short) === x) return short
  }
  return x
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object'
    ? JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))
    : String(value)
}
