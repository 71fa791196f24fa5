/**
 * Plans how a table is read: finds modes, value and weight among its columns, as the options say or by
 * guessing.
 */

import { InputError, option, type Remark, remark, sentence, setting } from '../../base/inputError.ts'
import { zoneOffsetOf } from '../../labels/index.ts'
import {
  type DuplicatePolicy,
  MAX_ORDER,
  type NegativePolicy,
  type SparseTensor,
} from '../../tensor/index.ts'
import {
  type FoundMode,
  findColumn,
  findMode,
  findStoredMode,
  type IndexPolicy,
  modeNotFound,
  noColumn,
  parseMode,
} from './columns/modes.ts'
import { isBinnedTime, readingNotices } from './columns/notices.ts'
import {
  type ColumnSummary,
  countsOfPlaces,
  describeSpoilt,
  explainGuess,
  guessModes,
  guessValue,
  refuseTextValue,
  summarizeColumns,
} from './guess.ts'
import { refineTimes } from './guessTimes.ts'
import { meltTable } from './melt.ts'
import type { MergePolicy, ReadPlan } from './readPlan.ts'
import { readPlanned } from './readPlanned.ts'
import { type RecipeName, recipes } from './recipes.ts'
import type { Thousands } from './source/numberStyle.ts'
import { columnList, type Table } from './source/rows.ts'
import { refuseWide } from './wide.ts'

/** The columns of a table that become the modes, the value and the weight of a tensor. */
export interface TableOptions {
  /**
   * A column, a binning of one (`week(seen)`, `bins(x, 5)`) or, where DuckDB reads the table, an SQL
   * expression per mode; on request with `raw:` or `coded:` before it and AS name behind it. Guessed by
   * default.
   */
  modes?: readonly string[]
  /** The column or SQL expression of the values; guessed by default, or 1 for each row if modes are given. */
  value?: string
  /**
   * The column or SQL expression of the weights: how much each row counts, from 0; all the same by default.
   */
  weight?: string
  /** Rows of the same coordinates: by default counted if there is no value, else an error. */
  merge?: MergePolicy
  /** Whole numbers are coded by their distinct values (default), or are the indices, counted from 1. */
  index?: IndexPolicy
  /**
   * Formats of times in text, as in %m/%d/%Y; 'iso' among them allows ISO 8601, too. ISO 8601 alone by
   * default.
   */
  dates?: readonly string[]
  /**
   * The time zone, as in Europe/Berlin, by whose clocks times are binned; times without an offset are taken as
   * those clocks' own. UTC by default.
   */
  timezone?: string
  /** The decimal separator of numbers in text; recognized by default. */
  decimal?: ',' | '.'
  /** Separator of groups of three digits in numbers, as in 1,264; none by default. */
  thousands?: Thousands
  /**
   * For an .xlsx given by its path: the name of the sheet, or its number from 1; by default the first one that
   * is not empty.
   */
  sheet?: string
  /**
   * The name of the mode that the columns of a wide table become: all columns that no mode names, or those
   * that match the patterns after an equals sign, as in `day=2024-*`; none by default.
   */
  melt?: string
  /** Reads a well-known data set: its modes, its value, and how its rows are merged; none by default. */
  recipe?: RecipeName
  /**
   * SQL whose result is read instead of the files, which are its table `data`; none by default. In Node only.
   */
  query?: string
  /**
   * A DuckDB or SQLite file or a postgres:// address; without a query, the path names one of its tables.
   * None by default. In Node only.
   */
  database?: string
}

/** Options for reading a table as a tensor. */
export interface ReadRowsOptions extends TableOptions {
  /** Negative values are an error (default), kept, or clipped to zero. */
  negative?: NegativePolicy
  /** Another name of `merge`, which the options for other files use; none by default. */
  duplicates?: DuplicatePolicy
  /** Sizes of the modes; by default the number of labels, or the largest index of a mode without labels. */
  dims?: readonly number[]
  /**
   * A tensor or model whose modes and labels are used; rows with other labels are left out; none by default.
   */
  like?: Pick<SparseTensor, 'dims' | 'labels' | 'modes'>
  /** Takes the modes of `like`, but the labels of the table itself; false by default. */
  newLabels?: boolean
  /**
   * Leaves the search for repeated coordinates, which are an error, to the engine that sorts the entries,
   * which is faster; false by default.
   */
  deferDuplicateCheck?: boolean
  /** Whether `onRemark` is also called with the reasons of a guess; false by default. */
  explain?: boolean
  /** Called with sentences about guesses and rows left out; none by default. */
  onRemark?(remark: Remark): void
  /** Called with the number of rows read so far; none by default. */
  onRows?(rows: number): void
}

/**
 * Reads all rows of a table (a source of rows: a file or records, read in batches) as a sparse tensor, on this
 * thread. Columns become modes, value and weight by the options, or by guessing. Throws an InputError if they
 * cannot.
 */
export async function readRows(table: Table, options: ReadRowsOptions = {}): Promise<SparseTensor> {
  return readPlanned(await planRows(table, options))
}

/** Plans how a table is read: finds modes, value and weight among its columns; throws if they do not fit. */
export async function planRows(given: Table, options: ReadRowsOptions): Promise<ReadPlan> {
  const { like, dims, negative, onRemark, onRows } = options
  if (options.timezone !== undefined) zoneOffsetOf(options.timezone)
  const table =
    options.melt === undefined
      ? given
      : meltTable(given, options.melt, [
          ...(options.modes ?? []),
          ...(options.weight ? [options.weight] : []),
        ])
  for (const guess of table.guesses ?? []) onRemark?.(remark(sentence`${table.name}: ${guess}`, true))
  const chosen = await chooseColumns(table, options)
  const modes = like?.modes ? findStoredModes(table, options, like.modes) : chosen.modes
  const { value } = chosen
  const merge = options.merge ?? chosen.merge ?? options.duplicates ?? (value ? 'error' : 'count')
  if (!value && merge !== 'count' && merge !== 'sum')
    throw new InputError(
      'table',
      sentence`${table.name}: without values, rows can only be counted; name the column of values with ${option('value')}.`,
    )
  const weight = options.weight === undefined ? undefined : requireColumn(table, options.weight)
  if (weight && (!value || merge === 'count' || merge === 'sum'))
    throw new InputError(
      'table',
      sentence`${table.name}: rows that are counted or added up have no one weight; name a ${option('value')} and merge rows with ${option('merge', 'mean', 'last')}, or leave ${option('weight')} out.`,
    )
  if (modes.length < 2)
    throw new InputError(
      'table',
      sentence`${table.name}: a tensor needs at least two modes; name more with ${option('modes')}, as in ${setting('modes', ...exampleModes(table))}.`,
    )
  if (modes.length > MAX_ORDER)
    throw new InputError(
      'table',
      `${table.name}: a tensor has at most ${MAX_ORDER} modes, not ${modes.length}.`,
    )
  const timed = modes.map((mode) => withTimes(mode, options))
  if (!like && onRemark) for (const notice of await readingNotices(table, timed, options)) onRemark(notice)
  return {
    table,
    modes: timed,
    merge,
    index: options.index ?? chosen.index ?? 'coded',
    ...{ value, weight, like, dims, negative, onRemark, onRows },
    newLabels: options.newLabels,
    deferDuplicateCheck: options.deferDuplicateCheck,
  }
}

/** Two columns of a table, as an example of modes. */
const exampleModes = ({ columns }: Table): string[] =>
  columns.length > 1 ? columns.slice(0, 2).map(({ name }) => name) : ['user', 'item']

/** A guess of which columns are modes and value. */
export interface TableGuess {
  /** All columns. */
  columns: ColumnSummary[]
  /** Empty if it is not clear which columns are modes. */
  modes: string[]
  /** Column of the values; undefined if none is likely. */
  value?: string
  /** Why the guess failed. */
  problem?: InputError
}

/** Guesses the modes and the value of a table by its first rows, as a proposal that the user may change. */
export async function guessTable(table: Table): Promise<TableGuess> {
  const columns = summarizeColumns(table, await table.sample())
  const value = guessValue(columns)?.name
  const named = { columns, value }
  try {
    return { ...named, modes: guessModes(columns, value, table.name) }
  } catch (problem) {
    if (!(problem instanceof InputError)) throw problem
    return { ...named, modes: [], problem }
  }
}

/** Policies by which rows are put together on purpose, so that times may be guessed as coarse bins. */
const AGGREGATES: readonly MergePolicy[] = ['sum', 'mean', 'count']

/** Modes and value, with the merge and index policies of a recipe; options override these. */
export interface Choice {
  modes: FoundMode[]
  value?: { column: number; name: string }
  merge?: MergePolicy
  index?: IndexPolicy
}

/**
 * Chooses modes and value by the recipe, by the options, or by guessing, which it reports. Without a recipe,
 * `modes` is empty if `like` has modes: these are used instead.
 */
async function chooseColumns(table: Table, options: ReadRowsOptions): Promise<Choice> {
  const { columns, name: where } = table
  const { recipe, like, modes, onRemark } = options
  if (recipe) return recipes[recipe](table)
  const value = options.value === undefined ? undefined : requireColumn(table, options.value)
  const melted =
    options.melt === undefined
      ? undefined
      : { column: columns.length - 1, name: columns[columns.length - 1].name }
  if (modes?.length || melted) {
    const found = like?.modes ? [] : namedModes(table, options)
    return { modes: found, ...((value ?? melted) && { value: value ?? melted! }) }
  }
  if (like?.modes && value) return { modes: [], value }
  const sample = await table.sample()
  if (sample.rowCount === 0)
    throw new InputError('empty', `${where}: there are no rows, only the columns ${columnList(columns)}.`)
  const summary = summarizeColumns(table, sample, options.dates).filter(({ name }) => name !== options.weight)
  if (!like?.modes) refuseWide(summary, where)
  const guessed = value ? undefined : guessValue(summary)
  if (!value && !guessed) refuseTextValue(summary, where)
  const name = value?.name ?? guessed?.name
  const guessedModes = like?.modes ? [] : guessModes(summary, name, where)
  const texts =
    like?.modes?.map((mode) => mode.name) ??
    (name === undefined || AGGREGATES.includes(options.merge ?? 'error')
      ? guessedModes
      : refineTimes(table, sample, guessedModes, options.dates))
  // A few cells that are no numbers are an error with their lines, and do not make the column one of text.
  const spoilt = guessed && describeSpoilt(guessed)
  if (spoilt) throw new InputError('value', `${spoilt}.`)
  const measured = name === undefined ? sentence`, rows counted` : sentence` ${setting('value', name)}`
  onRemark?.(remark(sentence`${where}: taken as ${setting('modes', ...texts)}${measured}`, true))
  if (options.explain && !like?.modes)
    onRemark?.(
      remark(
        sentence`Why: ${explainGuess(summary, texts, name).join('; ')}${countsOfPlaces(summary, name)}.`,
      ),
    )
  const found = like?.modes ? [] : texts.map((text) => requireMode(table, text))
  return { modes: found, value: name === undefined ? undefined : requireColumn(table, name) }
}

/** Finds the mode that a text means; throws if the table lacks it. */
function requireMode({ columns, name }: Table, text: string): FoundMode {
  const found = findMode(text, columns, name)
  if (!found) throw noColumn(parseMode(text).body, columns, name)
  return found
}

/**
 * The modes that the options name, with the melted mode last if they do not name it. Throws if one is
 * missing.
 */
function namedModes(table: Table, { modes = [], melt }: ReadRowsOptions): FoundMode[] {
  const found = modes.map((text) => requireMode(table, text))
  const names = table.columns.length - 2
  if (melt !== undefined && !found.some(({ column }) => column === names))
    found.push({ name: table.columns[names].name, column: names })
  return found
}

/**
 * Finds the modes of a model or tensor among the columns of a table; for one that is missing, the mode that
 * the user names. Throws if there is neither.
 */
function findStoredModes(
  table: Table,
  { modes, melt }: ReadRowsOptions,
  known: NonNullable<SparseTensor['modes']>,
): FoundMode[] {
  const typed = modes && melt === undefined && modes.length === known.length ? modes : undefined
  return known.map((mode, m) => {
    const text = typed?.[m]
    const found =
      findStoredMode(mode, table.columns) ??
      (text === undefined ? undefined : findMode(text, table.columns, table.name))
    if (!found) throw modeNotFound(mode.name, table.columns, table.name)
    return found
  })
}

/** Finds the column of values or weights that a text names; throws if the table lacks it. */
function requireColumn(table: Table, text: string): { column: number; name: string } {
  const column = findColumn(table.columns, parseMode(text).body)
  if (column < 0) throw noColumn(text, table.columns, table.name)
  return { column, name: table.columns[column].name }
}

/**
 * A mode of times with the formats and the time zone that the user gave, unless it has its own; any other mode
 * as it is.
 */
function withTimes(mode: FoundMode, { dates, timezone }: TableOptions): FoundMode {
  if (!isBinnedTime(mode)) return mode
  return {
    ...mode,
    ...(dates && !mode.dates && { dates }),
    ...(timezone !== undefined && mode.timezone === undefined && { timezone }),
  }
}
