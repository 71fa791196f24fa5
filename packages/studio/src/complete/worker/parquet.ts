/**
 * Reads Parquet files in the page: hyparquet decodes the columns, and this module turns them into cells.
 * hyparquet (200 kB) is loaded when the first such file is opened. DuckDB for the web would take 34 MB and
 * fetch its Parquet reader from another host.
 */
import { InputError } from 'lacuna'
import { type Batch, type Cells, type ColumnType, cellsOf, columnType, type Wanted } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'

type Metadata = Awaited<ReturnType<typeof import('hyparquet').parquetMetadataAsync>>

/** The number of rows from which the roles of the columns are guessed. */
const SAMPLE_ROWS = 20_480

/** Opens a Parquet file as a table of the library. */
export async function parquetTable(file: File): Promise<Table> {
  const [hyparquet, { compressors }] = await Promise.all([
    import('hyparquet'),
    import('hyparquet-compressors'),
  ])
  const { name, size } = file
  const bytes = { byteLength: size, slice: (from: number, to?: number) => file.slice(from, to).arrayBuffer() }
  /** Runs work of hyparquet; its errors become an InputError with the name of the file. */
  const explainFaults = async <T>(work: () => Promise<T>): Promise<T> => {
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
  const metadata = await explainFaults(() => hyparquet.parquetMetadataAsync(bytes))
  const columns = hyparquet.parquetSchema(metadata).children.map(({ element }) => ({
    name: element.name,
    type: typeOf(element, metadata),
    isFloat: element.type === 'FLOAT',
  }))
  // Times as whole microseconds since 1970, dates as days.
  const parsers = {
    timestampFromMilliseconds: (ms: bigint) => Number(ms) * 1e3,
    timestampFromMicroseconds: (us: bigint) => Number(us),
    timestampFromNanoseconds: (ns: bigint) => Number(ns / 1000n),
    dateFromDays: (days: number) => days,
  }

  /**
   * Yields the wanted columns, one batch per row group.
   * @param most no row group is read after this number of rows
   */
  async function* read(wanted: readonly Wanted[], most = Number.POSITIVE_INFINITY): AsyncGenerator<Batch> {
    const names = [...new Set(wanted.map(({ column }) => columns[column].name))]
    let start = 0
    for (const group of metadata.row_groups) {
      if (start >= most) return
      const end = start + Number(group.num_rows)
      const columnValues = new Map(names.map((each) => [each, new Array<unknown>(end - start)]))
      await explainFaults(() =>
        hyparquet.parquetRead({
          file: bytes,
          metadata,
          columns: names,
          rowStart: start,
          rowEnd: end,
          compressors,
          parsers,
          onChunk({ columnName, columnData, rowStart }) {
            const into = columnValues.get(columnName)
            for (let i = 0; i < columnData.length; i++) if (into) into[rowStart - start + i] = columnData[i]
          },
        }),
      )
      const first = start + 1
      yield {
        rowCount: end - start,
        columns: wanted.map(({ column }) => {
          const { name, type, isFloat } = columns[column]
          return toCells(columnValues.get(name) ?? [], type, isFloat)
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

/** A column in the schema of a Parquet file. */
type Element = Metadata['schema'][number]

/** The SQL type of a column by its schema; VARCHAR if it is none of the others. */
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

/** Whether the statistics of a 64-bit column show that a double holds all of its values (±2⁵³). */
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

/**
 * Values of a column as cells: numbers as doubles (NaN where missing); text, and whole numbers that a double
 * cannot hold, as text.
 * @param isFloat whether the column has float32 numbers, which get their shortest decimal
 */
function toCells(values: readonly unknown[], type: ColumnType, isFloat: boolean): Cells {
  if (type === 'VARCHAR' || type === 'HUGEINT') return cellsOf(values.map(toText))
  const number = (value: unknown): number => (isFloat ? shortestDecimal(Number(value)) : Number(value))
  return Float64Array.from(values, (value) =>
    value === null || value === undefined ? Number.NaN : number(value),
  )
}

/** The double of a float32's shortest decimal text: 0.1, not 0.10000000149. */
function shortestDecimal(x: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits))
    if (Math.fround(short) === x) return short
  }
  return x
}

/** The text of a cell; JSON for nested values, null if it is empty. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'object'
    ? JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
    : String(value)
}
