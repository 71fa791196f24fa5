/** Opens tables by path (text, JSON, Parquet or a database) and reads them as tensors. */

import { InputError } from '../../base/inputError.ts'
import { type ColumnType, typeOfTexts } from '../../labels/index.ts'
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
  plainNumber,
  planRows,
  type ReadRowsOptions,
  type RowsDriver,
  readPlanned,
  type Table,
  type TableColumn,
  type TextForm,
  textTable,
} from '../table/index.ts'
import {
  adviseFormat,
  byteOrderMarkLength,
  isTableKind,
  packingByName,
  type TableKind,
  tableEndings,
  unpackedEnding,
} from '../text/index.ts'
import type { SqlSource } from './duckdb/index.ts'
import { type Input, isPacked, openInput, withPath } from './files/index.ts'

/** Options for reading tables as a tensor. */
export interface ReadTableOptions extends ReadRowsOptions {
  /** The one file, if it has been opened already; opened from the path by default. */
  input?: Input
  /** The number of threads that read a large file; one per core by default. */
  threads?: number
}

/**
 * Reads a table as a tensor: files of the same columns as one table, a table of a database, or the result of
 * a query.
 * @param paths the files; with a database and no query, the name of its table
 */
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

/** Options for opening a table, whatever is then done with it. */
interface OpenOptions
  extends Pick<
    ReadTableOptions,
    'query' | 'database' | 'decimal' | 'thousands' | 'melt' | 'like' | 'input' | 'sheet' | 'threads'
  > {
  /** Modes as the user typed them: columns, binnings or SQL. */
  typed: readonly string[]
  /** The value and the weight as the user typed them: columns or SQL. */
  values?: readonly string[]
  /** A file that the locked DuckDB session is allowed to write from this table. */
  output?: string
  /**
   * Whether fields of a text are also wanted verbatim, whatever types SQL computes with; false by default.
   */
  verbatim?: boolean
}

/**
 * Opens a table, calls `work` with it, closes it and returns the result of `work`. DuckDB is used for
 * Parquet, databases, queries and modes that are SQL only.
 * @param work receives the table, and a driver that reads its rows or finds duplicates by threads
 */
export async function withTable<T>(
  files: readonly string[],
  options: OpenOptions,
  work: (table: Table, driver?: RowsDriver) => Promise<T>,
): Promise<T> {
  const { query, database, typed, values = [], output, like, verbatim } = options
  const name = nameOfTable(files, options)
  const expressions = (columns: readonly TableColumn[]): string[] => [
    ...selectSql(typed, columns, name, like),
    ...selectSql(values, columns, name, undefined),
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
  for (const file of files) inputs.push(options.input ?? (await openInput(file, { sheet: options.sheet })))
  const kind = requireOneKind(inputs)
  const table = kind === 'parquet' ? undefined : await openWithoutSql(inputs, kind, name, options)
  if (table && query === undefined && expressions(table.columns).length === 0)
    return withThreads(table, inputs, options, work)
  const text = table?.dialect && { dialect: table.dialect, types: await inferTypes(table) }
  return withPaths(inputs, ENDINGS[kind], (paths) =>
    withSql({ ...source, kind, files: paths, text }, work, options, formOfResult(table, query)),
  )
}

/** The form in which the result of SQL is written: that of its file; the columns of a query are others. */
const formOfResult = (table: Table | undefined, query: string | undefined): TextForm | undefined =>
  table?.form && (query === undefined ? table.form : { ...table.form, quoted: [] })

/** Returns a driver whose threads only search for duplicates: rows are read by one thread, or by DuckDB's. */
const duplicatesDriver = (options: OpenOptions): RowsDriver => ({
  areDistinct: (indices) => areDistinctBy(readingThreads(options.threads), indices),
})

/** More files than this are read by one thread, since threads keep all of them open. */
const MAX_OPEN_FILES = 64

/**
 * Calls `work` with a table and, if it is a large text that is not packed, with a driver that reads it by
 * threads; else with a driver that only finds duplicates by threads.
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

/**
 * Whether files are together at least PARALLEL_FROM bytes, few, distinct by name, and neither pipes nor
 * packed.
 */
async function canReadByThreads(inputs: readonly Input[]): Promise<boolean> {
  const byteLength = inputs.reduce((sum, input) => sum + input.byteLength, 0)
  const names = new Set(inputs.map(({ name }) => name))
  if (byteLength < PARALLEL_FROM || inputs.length > MAX_OPEN_FILES || names.size < inputs.length) return false
  for (const { isPipe, path } of inputs) if (isPipe || (await isPacked(path))) return false
  return true
}

/** The kinds of tables that are not converted to another one when they are opened. */
type OpenKind = Exclude<TableKind, 'arrow' | 'xlsx'>

/** The endings of temporary files for DuckDB. */
const ENDINGS: Record<OpenKind, string> = { text: '.csv', json: '.json', parquet: '.parquet' }

/**
 * Calls `work` with paths of the inputs that DuckDB can read: pipes, and JSON that begins with a byte order
 * mark, are first copied to temporary files, which are removed afterwards.
 * @param ending the ending of these files
 */
async function withPaths<T>(
  [input, ...more]: readonly Input[],
  ending: string,
  work: (paths: readonly string[]) => Promise<T>,
): Promise<T> {
  if (!input) return work([])
  const plain = input.kind === 'json' && (await hasByteOrderMark(input)) ? withoutByteOrderMark(input) : input
  return withPath(plain, ending, (path) => withPaths(more, ending, (paths) => work([path, ...paths])))
}

/** Whether an input begins with a byte order mark. */
async function hasByteOrderMark({ open }: Input): Promise<boolean> {
  for await (const piece of open()) return byteOrderMarkLength(piece) > 0
  return false
}

/**
 * Returns the input without its byte order mark, marked as a pipe, so that it is copied to be read by path.
 */
function withoutByteOrderMark(input: Input): Input {
  async function* open(): AsyncGenerator<Uint8Array> {
    let isFirst = true
    for await (const piece of input.open()) {
      yield isFirst ? piece.subarray(byteOrderMarkLength(piece)) : piece
      isFirst = false
    }
  }
  return { ...input, isPipe: true, open }
}

/** Opens a table that DuckDB reads, calls `work` with it, closes it and returns the result of `work`. */
async function withSql<T>(
  source: SqlSource,
  work: (table: Table, driver?: RowsDriver) => Promise<T>,
  options: OpenOptions,
  form?: TextForm,
): Promise<T> {
  const { openSqlTable } = await import('./duckdb/index.ts')
  const table = await openSqlTable(source)
  try {
    return await work(Object.assign(table, { thousands: options.thousands, form }), duplicatesDriver(options))
  } finally {
    table.close()
  }
}

/** Returns the name of files for messages: `a.csv`, `stdin`, or `a.csv and 2 more`. */
export const nameOfFiles = ([first, ...others]: readonly string[]): string => {
  const name = first === '-' ? 'stdin' : first
  return others.length > 0 ? `${name} and ${others.length} more` : name
}

/** Returns the name of a table for messages: its files, its database (and table), or `The query`. */
function nameOfTable(files: readonly string[], { database, query }: OpenOptions): string {
  const [first] = files.map((file) => (file === '-' ? 'stdin' : file))
  if (files.length > 1) return nameOfFiles(files)
  if (database !== undefined) return files.length === 1 ? `${database}, ${first}` : database
  return first ?? (query === undefined ? 'The table' : 'The query')
}

/** Whether some mode or the value is SQL, not a column or a binning; opens the table to find its columns. */
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
 * Returns the typed texts that are SQL: neither a column, nor a binning of one, nor found by the mode of the
 * same position in `like`.
 * @param name the table, for messages
 */
function selectSql(
  texts: readonly string[],
  columns: readonly TableColumn[],
  name: string,
  like: OpenOptions['like'],
): string[] {
  return texts.flatMap((text, m) => {
    const likeMode = like?.modes?.[m]
    if (likeMode && findStoredMode(likeMode, columns)) return []
    return findMode(text, columns, name) ? [] : [parseMode(text).body]
  })
}

/** Returns the kind of all files; throws if one is no table or they are of different kinds. */
function requireOneKind(inputs: readonly Input[]): OpenKind {
  const kinds = new Set<OpenKind>()
  for (const { kind, name } of inputs) {
    if (!isTableKind(kind))
      throw new InputError(
        'table',
        adviseFormat(name) ?? `${name}: the ending is not that of a table; use ${tableEndings.join(', ')}.`,
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

/** Opens text or JSON with the parsers of io/table, without DuckDB; a text also has its dialect. */
async function openWithoutSql(
  inputs: readonly Input[],
  kind: 'text' | 'json',
  name: string,
  { decimal, thousands, melt }: OpenOptions,
): Promise<Table & { dialect?: Dialect }> {
  const files = inputs.map((input) => ({ name: input.name, open: contentReader(input) }))
  if (kind === 'json') return { ...(await jsonTable(files, { name })), thousands }
  const { path, dialect, guesses = [] } = inputs[0]
  const delimiter = unpackedEnding(path) === 'tsv' ? '\t' : dialect?.delimiter
  const table = await textTable(files, {
    ...{ name, delimiter, thousands },
    decimal: decimal ?? (thousands === undefined ? dialect?.decimal : undefined),
    // The columns of a wide table may be called by numbers.
    header: melt === undefined ? dialect?.header : true,
  })
  // Text that was made of a sheet has no form of its own.
  return { ...table, form: dialect ? undefined : table.form, guesses: [...(table.guesses ?? []), ...guesses] }
}

/** Returns a function that reads an input from the beginning, unpacked if it is gzip or zstd. */
function contentReader({ path, open }: Input): () => AsyncIterable<Uint8Array> {
  if (packingByName(path) !== 'zstd') return open
  return async function* () {
    const { unpackZstd } = await import('./duckdb/index.ts')
    yield* unpackZstd(path)
  }
}

/**
 * Infers the types of a text's columns from its sample of first rows, for DuckDB; VARCHAR where the sample
 * has no texts.
 */
export async function inferTypes(table: Table): Promise<ColumnType[]> {
  const { columns, rowCount } = await table.sample()
  return table.columns.map(({ quoted }, c) => {
    const cells = columns[c]
    if (cells === undefined || cells instanceof Float64Array) return 'VARCHAR'
    const texts = Array.from({ length: rowCount }, (_, row) => cellText(cells, row)).filter(
      (text) => text !== null,
    )
    // Grouped thousands stay text, for DuckDB cannot read them.
    const { decimal } = table
    return typeOfTexts(decimal === ',' ? texts.map((text) => plainNumber(text, { decimal })) : texts, quoted)
  })
}
