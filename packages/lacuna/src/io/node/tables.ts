/** Tables by path: opened as text, JSON, Parquet or a database, and read as tensors. */
import { InputError } from '../../base/inputError.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import {
  areDistinctBy,
  PARALLEL_FROM,
  readingThreads,
  startReading,
  textThreads,
} from '../drive/threads/index.ts'
import {
  cellText,
  type Dialect,
  findMode,
  findStoredMode,
  jsonTable,
  parseMode,
  planRows,
  type ReadRowsOptions,
  type RowsDriver,
  readPlanned,
  type Table,
  type TableColumn,
  textTable,
} from '../table/index.ts'
import {
  byteOrderMarkLength,
  type ColumnType,
  isTableKind,
  packingByName,
  type TableKind,
  tableEndings,
  typeOfTexts,
  unpackedEnding,
} from '../text/index.ts'
import type { SqlSource } from './duckdb/index.ts'
import { asFile, type Input, isPacked, openInput } from './files/index.ts'

/** Options for reading tables as a tensor. */
export interface ReadTableOptions extends ReadRowsOptions {
  /** The one file, if it has been opened already; opened from the path by default. */
  input?: Input
  /** The number of threads that read a large file; one per core by default. */
  threads?: number
}

/** Reads files of the same columns as one table, or a table of a database, or a query. */
export async function readTable(
  paths: string | readonly string[],
  options: ReadTableOptions = {},
): Promise<SparseTensor> {
  const files = typeof paths === 'string' ? [paths] : paths
  const { modes = [], value, weight, melt, recipe } = options
  const typed = melt === undefined && recipe === undefined ? modes : []
  const values = [value, weight].filter((text) => text !== undefined)
  return withTable(files, { ...options, typed, values }, async (table, driver) =>
    readPlanned(await planRows(table, options), driver),
  )
}

interface OpenOptions
  extends Pick<ReadTableOptions, 'query' | 'database' | 'decimal' | 'melt' | 'like' | 'input' | 'threads'> {
  /** Modes as the user typed them, which may be SQL. */
  typed: readonly string[]
  /** The value and the weight as the user typed them, which may be SQL. */
  values?: readonly string[]
  /** A file that DuckDB may write from this table. */
  output?: string
  /** Whether the fields of a text are also wanted as they stand in the file. */
  verbatim?: boolean
}

/**
 * Opens a table for as long as some work takes.
 * @param work receives the table, and a driver that reads its rows by threads where that is possible
 */
export async function withTable<T>(
  files: readonly string[],
  options: OpenOptions,
  work: (table: Table, driver?: RowsDriver) => Promise<T>,
): Promise<T> {
  const { query, database, typed, values = [], output, like, verbatim } = options
  const name = nameOf(files, options)
  const expressions = (columns: readonly TableColumn[]): string[] => [
    ...sqlAmong(typed, columns, name, like),
    ...sqlAmong(values, columns, name, undefined),
  ]
  const source = {
    name,
    expressions,
    typed: [...typed, ...values],
    ...{ query, database, output, verbatim },
  }
  if ((database !== undefined && query === undefined) || files.length === 0) {
    if (database === undefined && query === undefined)
      throw new InputError('empty', 'There is nothing to read; name a file.')
    return withSql({ ...source, kind: 'text', files }, work, options)
  }
  const inputs: Input[] = []
  for (const file of files) inputs.push(options.input ?? (await openInput(file)))
  const kind = requireOneKind(inputs)
  const own = kind === 'parquet' ? undefined : await ownTable(inputs, kind, name, options)
  if (own && query === undefined && expressions(own.columns).length === 0)
    return withThreads(own, inputs, options, work)
  const text = own?.dialect && { dialect: own.dialect, types: await typesOf(own) }
  return asFiles(inputs, ENDINGS[kind], (paths) =>
    withSql({ ...source, kind, files: paths, text }, work, options),
  )
}

/** A driver whose threads look for duplicates only: rows are read by one thread, or by DuckDB's. */
const duplicatesDriver = (options: OpenOptions): RowsDriver => ({
  areDistinct: (indices) => areDistinctBy(readingThreads(options.threads), indices),
})

/** The most files that are read by threads, which have all of them open. */
const MOST_OPEN = 64

/**
 * Does work with a table and, if its text is large and not packed, with a driver that reads it by threads.
 */
async function withThreads<T>(
  table: Table & { dialect?: Dialect },
  inputs: readonly Input[],
  options: OpenOptions,
  work: (table: Table, driver?: RowsDriver) => Promise<T>,
): Promise<T> {
  const { dialect } = table
  const threads = readingThreads(options.threads, inputs.length)
  if (!dialect || threads === 1 || !(await canReadByThreads(inputs)))
    return work(table, duplicatesDriver(options))
  const driver = textThreads(inputs, table, dialect, () => startReading(threads))
  try {
    return await work(driver.table, driver)
  } finally {
    await driver.close()
  }
}

/** Whether files are large, few, distinct by name, and neither pipes nor packed. */
async function canReadByThreads(inputs: readonly Input[]): Promise<boolean> {
  const byteLength = inputs.reduce((sum, input) => sum + input.byteLength, 0)
  const names = new Set(inputs.map(({ name }) => name))
  if (byteLength < PARALLEL_FROM || inputs.length > MOST_OPEN || names.size < inputs.length) return false
  for (const { isPipe, path } of inputs) if (isPipe || (await isPacked(path))) return false
  return true
}

const ENDINGS: Record<TableKind, string> = { text: '.csv', json: '.json', parquet: '.parquet' }

/**
 * Does work with the paths of inputs, for DuckDB: pipes and JSON with a byte order mark are copied to files
 * first.
 */
async function asFiles<T>(
  [input, ...more]: readonly Input[],
  ending: string,
  work: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  if (!input) return work([])
  const plain = input.kind === 'json' && (await beginsWithMark(input)) ? withoutMark(input) : input
  return asFile(plain, ending, (path) => asFiles(more, ending, (paths) => work([path, ...paths])))
}

/** Whether an input begins with a byte order mark. */
async function beginsWithMark({ open }: Input): Promise<boolean> {
  for await (const piece of open()) return byteOrderMarkLength(piece) > 0
  return false
}

/** The input without its byte order mark, as a pipe. */
function withoutMark(input: Input): Input {
  async function* open(): AsyncGenerator<Uint8Array> {
    let isFirst = true
    for await (const piece of input.open()) {
      yield isFirst ? piece.subarray(byteOrderMarkLength(piece)) : piece
      isFirst = false
    }
  }
  return { ...input, isPipe: true, open }
}

/** Does work with a table that DuckDB reads. */
async function withSql<T>(
  source: SqlSource,
  work: (table: Table, driver?: RowsDriver) => Promise<T>,
  options: OpenOptions,
): Promise<T> {
  const { openSqlTable } = await import('./duckdb/index.ts')
  const table = await openSqlTable(source)
  try {
    return await work(table, duplicatesDriver(options))
  } finally {
    table.close()
  }
}

/** The name of files that are one table, for messages. */
export const nameOfFiles = ([first, ...others]: readonly string[]): string => {
  const name = first === '-' ? 'stdin' : first
  return others.length > 0 ? `${name} and ${others.length} more` : name
}

/** The name of a table for messages: its files, its database, or its query. */
function nameOf(files: readonly string[], { database, query }: OpenOptions): string {
  const [first] = files.map((file) => (file === '-' ? 'stdin' : file))
  if (files.length > 1) return nameOfFiles(files)
  if (database !== undefined) return files.length === 1 ? `${database}, ${first}` : database
  return first ?? (query === undefined ? 'The table' : 'The query')
}

/** Whether some mode or the value must be computed by SQL. */
export async function isComputed(
  files: readonly string[],
  { modes = [], value, melt, like }: ReadTableOptions,
): Promise<boolean> {
  const opening = {
    typed: melt === undefined ? modes : [],
    values: value === undefined ? [] : [value],
    like,
  }
  return withTable(files, opening, async ({ columns }) => columns.some(({ computed }) => computed))
}

/**
 * Those of the texts that are SQL: neither a column or a binning of one, nor a mode of the data that `like`
 * gives.
 */
function sqlAmong(
  texts: readonly string[],
  columns: readonly TableColumn[],
  name: string,
  like: OpenOptions['like'],
): string[] {
  return texts.flatMap((text, m) => {
    const known = like?.modes?.[m]
    if (known && findStoredMode(known, columns)) return []
    return findMode(text, columns, name) ? [] : [parseMode(text).body]
  })
}

/** The kind of all files; refuses files that are no tables or not of one kind. */
function requireOneKind(inputs: readonly Input[]): TableKind {
  const kinds = new Set<TableKind>()
  for (const { kind, name } of inputs) {
    if (!isTableKind(kind))
      throw new InputError(
        'table',
        `${name}: the ending is not that of a table; use ${tableEndings.join(', ')}.`,
      )
    kinds.add(kind)
  }
  const [kind, ...others] = kinds
  if (others.length > 0)
    throw new InputError(
      'table',
      `${inputs.map(({ name }) => name).join(', ')}: files read as one table must be of one kind; convert them first.`,
    )
  return kind
}

/** Opens text or JSON, which DuckDB does not read. */
async function ownTable(
  inputs: readonly Input[],
  kind: 'text' | 'json',
  name: string,
  { decimal, melt }: OpenOptions,
): Promise<Table & { dialect?: Dialect }> {
  const files = inputs.map((input) => ({ name: input.name, open: contentOf(input) }))
  if (kind === 'json') return jsonTable(files, { name })
  const delimiter = unpackedEnding(inputs[0].path) === 'tsv' ? '\t' : undefined
  return textTable(files, {
    ...{ name, delimiter, decimal },
    // The columns of a wide table may be called by numbers.
    header: melt === undefined ? undefined : true,
  })
}

/** A function that reads the content of an input, unpacked if it is gzip or Zstandard. */
function contentOf({ path, open }: Input): () => AsyncIterable<Uint8Array> {
  if (packingByName(path) !== 'zstd') return open
  return async function* () {
    const { unpackZstd } = await import('./duckdb/index.ts')
    yield* unpackZstd(path)
  }
}

/** The types of a text's columns by its first rows; DuckDB must know them before it reads. */
export async function typesOf(table: Table): Promise<ColumnType[]> {
  const { columns, rowCount } = await table.sample()
  return table.columns.map(({ quoted }, c) => {
    const cells = columns[c]
    if (cells === undefined || cells instanceof Float64Array) return 'VARCHAR'
    const texts = Array.from({ length: rowCount }, (_, row) => cellText(cells, row)).filter(
      (text) => text !== null,
    )
    const plain =
      table.decimal === ',' ? texts.map((text) => text.replace(/^([-+]?\d+),(\d+)$/, '$1.$2')) : texts
    return typeOfTexts(plain, quoted)
  })
}
