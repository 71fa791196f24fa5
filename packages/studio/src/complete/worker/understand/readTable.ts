/**
 * Reads a table as a tensor by a choice. What the choice leaves open (rows that cannot be read, repeated rows,
 * negative values, ambiguous dates) becomes a question, and the data is read as if its first answer was given, so
 * that the page can show it; nothing is learned from it before the answer.
 */
import { InputError, type SparseTensor } from 'lacuna'
import { meltTable, type NegativePolicy, type TensorModel, timeBins } from 'lacuna/internal'
import { readRows, type Table } from 'lacuna/tables'
import {
  type Answer,
  type BadRow,
  binningsOf,
  type Question,
  type TableChoice,
} from '../../understanding/index.ts'
import { type ApartColumn, findApart } from './apartColumns.ts'
import { choiceKey } from './choiceKey.ts'
import { type BadRows, type CellRules, cleanTable } from './cleanTable.ts'
import { convertTimes } from './convertTimes.ts'
import { chooseDates, dateTextsQuestion } from './dateQuestion.ts'
import { assumeNumberSigns } from './numberQuestion.ts'
import { firstRows } from './sampleTexts.ts'
import { projectTable, withNumberSigns, withPlaces, withRowNumbers } from './shapeTable.ts'
import { unitOf } from './unitQuestion.ts'

/** How a table is read. */
export interface TableReading {
  choice: TableChoice
  negative: NegativePolicy
  /** Lines that are no rows, as far as the table has been read. */
  badLines?: () => BadRows
  /** Counts of repeated rows and negative values that were found before, by choice; they are added to. */
  counts?: Map<string, number>
  /** The last read of the table: an answer that confirms what was assumed does not read it again. It is replaced. */
  last?: { read?: LastRead }
  /** A model: rows are those of its labels, and entries of others are left out; nothing is asked. */
  like?: TensorModel
  /** Called with the number of rows read so far. */
  onRows?(rows: number): void
}

/** What was read by a choice that leaves nothing open. */
interface OnceRead {
  tensor: SparseTensor
  remarks: string[]
  bad: BadRows
}

/** A read, and the choice by which it was made, as text. */
export interface LastRead {
  key: string
  found: OnceRead
}

/** A tensor that was read, what was left out, and what must be asked. */
export interface ReadTable {
  tensor: SparseTensor
  remarks: string[]
  questions: Question[]
}

/** Reads a table; throws an InputError where no question can help. */
export async function readTable(table: Table, reading: TableReading): Promise<ReadTable> {
  const { onRows, counts = new Map() } = reading
  let { choice, negative } = reading
  const questions: Question[] = []
  const dates = choice.dates ? undefined : await chooseDates(table, choice, counts)
  if (dates) choice = { ...choice, dates: [dates.format] }
  if (dates?.question) questions.push(dates.question)
  if (!reading.like) choice = { ...choice, ...(await assumeNumberSigns(table, choice)) }
  if (reading.like) {
    const { tensor, remarks } = await readOnce(table, choice, negative, onRows, reading.like)
    return { tensor, remarks, questions: [] }
  }
  const asText = dateTextsQuestion(table, choice, await firstRows(table))
  if (asText) questions.push(asText)
  let badRows: BadRows | undefined
  for (;;) {
    try {
      const { tensor, remarks, bad } = await readUnlessLast(table, choice, negative, reading)
      const lines = reading.badLines?.()
      const all = {
        rows: bad.rows + (lines?.rows ?? 0),
        examples: [...(lines?.examples ?? []), ...bad.examples],
      }
      if (all.rows > 0) questions.push(badRowsQuestion(all, table.unit))
      // A question that was answered is asked again with the same facts, so that its answer can be seen and changed.
      const repeats = await findRepeats(table, choice, negative, counts)
      if (repeats > 0) {
        const apart = await findApart(table, choice, {
          ...{ rows: repeats, among: tensor.values.length + repeats, counts },
          count: (more) => countRows(table, more, negative),
        })
        questions.push(repeatsQuestion(repeats, apart))
      }
      const negatives = await findNegatives(table, choice, negative, tensor, counts)
      if (negatives > 0) questions.push(negativeQuestion(negatives))
      return { tensor, remarks, questions }
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      if (error.code === 'duplicate' && choice.merge === 'error') choice = { ...choice, merge: 'sum' }
      else if (
        badRows === undefined &&
        !choice.skipBadRows &&
        (error.code === 'value' || error.code === 'table')
      ) {
        badRows = await findBadRows(table, choice)
        if (badRows.rows > 0) choice = { ...choice, skipBadRows: true }
        else if (error.code === 'table') throw error
      } else if (error.code === 'value' && negative === 'error') negative = 'keep'
      else throw error
    }
  }
}

/** Reads a table once, or returns the last read if that was made by the same choice. */
async function readUnlessLast(
  table: Table,
  choice: TableChoice,
  negative: NegativePolicy,
  { last = {}, onRows }: TableReading,
): Promise<OnceRead> {
  const key = choiceKey(choice, { negative })
  if (last.read?.key !== key) {
    const found = await readOnce(table, choice, negative, onRows)
    last.read = { key, found }
  }
  return last.read.found
}

/** Reads a table once, by a choice that must leave nothing open. */
async function readOnce(
  table: Table,
  choice: TableChoice,
  negative: NegativePolicy,
  onRows?: (rows: number) => void,
  like?: TensorModel,
): Promise<OnceRead> {
  const remarks: string[] = []
  const bad: BadRows = { rows: 0, examples: [] }
  const shaped = await shapeTable(table, choice)
  const isCleaned = choice.skipBadRows || choice.removeUnits
  const clean = isCleaned ? cleanTable(shaped.table, await cellRules(shaped, choice), bad) : shaped.table
  const tensor = await readRows(clean, {
    modes: shaped.modes,
    value: shaped.value,
    weight: choice.weight,
    merge: choice.merge,
    // Formats that no mode needs are a remark of the command line.
    dates: hasBinnedTimes(shaped.table, choice) ? choice.dates : undefined,
    negative,
    ...(like && (like.modes ? { like, ...(like.labels && { dims: like.dims }) } : { dims: like.dims })),
    onRemark: ({ text }) => remarks.push(text),
    onRows,
  })
  // Rows that cannot be read are an error unless the user has allowed to skip them.
  if (bad.rows > 0 && !choice.skipBadRows)
    throw new InputError('value', `${table.name}: there are rows that cannot be read.`)
  return { tensor, remarks: remarks.flatMap((text) => withoutCleared(text, bad.rows)), bad }
}

/** The remark that rows were left out since a cell was empty. */
const LEFT_OUT = /(one row is|(\d+) rows are)( left out, since a mode)/

/**
 * A remark without the rows whose cells were cleared, since they cannot be read: they are the rows of a question, and not
 * empty for the user. Nothing is left if the remark is about these alone.
 */
function withoutCleared(text: string, cleared: number): string[] {
  const [whole, , count = '1', end] = LEFT_OUT.exec(text) ?? []
  if (whole === undefined || cleared === 0) return [text]
  const rows = Number(count) - cleared
  return rows === 0 ? [] : [text.replace(whole, `${rows === 1 ? 'one row is' : `${rows} rows are`}${end}`)]
}

/** A table in the shape of a choice, with the modes and the value that it then has. */
interface ShapedTable {
  table: Table
  modes: string[]
  value?: string
}

/** Gives a table the shape of a choice: its number signs, places, numbered rows, and melted columns. */
async function shapeTable(source: Table, choice: TableChoice): Promise<ShapedTable> {
  let table = withNumberSigns(source, choice)
  if (choice.dates) table = convertTimes(table, binnedTimes(table, choice), choice.dates)
  if (choice.place) table = withPlaces(table, choice.place)
  if (choice.numberRows) table = withRowNumbers(table)
  const { modes, melt, value } = choice
  if (melt === undefined) return { table, modes, value }
  const ignored = new Set(choice.ignored)
  const positions = table.columns.flatMap(({ name }, c) => (ignored.has(name) ? [] : [c]))
  const others = choice.weight === undefined ? modes : [...modes, choice.weight]
  const long = meltTable(projectTable(table, positions), melt, others)
  const [mode, cells] = long.columns.slice(-2)
  return { table: long, modes: modes.includes(mode.name) ? modes : [...modes, mode.name], value: cells.name }
}

/** Positions of the columns that are modes by a binning of times alone. */
const binnedTimes = ({ columns }: Table, choice: TableChoice): number[] =>
  columns.flatMap(({ name }, c) => {
    const own = binningsOf(choice, name)
    return own.length > 0 && own.every((binning) => timeBins.some((bin) => bin === binning)) ? [c] : []
  })

/** Whether a mode is a binning of a time. */
const hasBinnedTimes = ({ columns }: Table, choice: TableChoice): boolean =>
  columns.some(({ name }) =>
    binningsOf(choice, name).some((binning) => timeBins.some((bin) => bin === binning)),
  )

/** The rules by which cells are readable: numbers, times, and the unit of the value. */
async function cellRules({ table, modes, value }: ShapedTable, choice: TableChoice): Promise<CellRules> {
  const find = (name: string | undefined): number[] =>
    table.columns.flatMap((column, c) => (column.name === name ? [c] : []))
  const binned = (isWanted: (binning: string) => boolean): number[] =>
    table.columns.flatMap(({ name }, c) =>
      binningsOf({ ...choice, modes }, name).some((binning) => binning !== 'none' && isWanted(binning))
        ? [c]
        : [],
    )
  const isNumber = (binning: string): boolean => /^(round|bins)/.test(binning)
  const [unitColumn] = choice.removeUnits ? find(value) : []
  const style = unitColumn === undefined ? undefined : unitOf(await firstRows(table), unitColumn)
  return {
    numbers: [...find(value), ...find(choice.weight), ...binned(isNumber)],
    times: binned((binning) => !isNumber(binning)),
    dates: choice.dates,
    ...(style && { unit: { column: unitColumn, style } }),
  }
}

/** The rows that cannot be read. */
async function findBadRows(table: Table, choice: TableChoice): Promise<BadRows> {
  const found: BadRows = { rows: 0, examples: [] }
  const shaped = await shapeTable(table, choice)
  const rules = await cellRules(shaped, choice)
  const wanted = [...new Set([...rules.numbers, ...rules.times])].map((column) => ({ column }))
  if (wanted.length === 0) return found
  for await (const _ of cleanTable(shaped.table, rules, found).read(wanted)) void _
  return found
}

/** The number of rows of each cell. */
async function countRows(table: Table, choice: TableChoice, negative: NegativePolicy): Promise<SparseTensor> {
  const counted: TableChoice = { ...choice, merge: 'count', weight: undefined, skipBadRows: true }
  return (await readOnce(table, counted, negative)).tensor
}

/**
 * The number of rows that have the coordinates of an earlier one, where a choice merges them.
 * @param counts known ones; it is added to
 */
async function findRepeats(
  table: Table,
  choice: TableChoice,
  negative: NegativePolicy,
  counts: Map<string, number>,
): Promise<number> {
  if (choice.merge === 'error' || choice.merge === 'count') return 0
  // Every way to merge has the same repeats.
  const key = choiceKey(choice, { what: 'repeats', merge: undefined, skipBadRows: undefined })
  const known = counts.get(key)
  if (known !== undefined) return known
  const tensor = await countRows(table, choice, negative)
  const repeats = tensor.values.reduce((sum, count) => sum + count, 0) - tensor.values.length
  counts.set(key, repeats)
  return repeats
}

/**
 * The number of negative values, where a policy allows them.
 * @param tensor the data as it was read by the choice and the policy
 * @param counts known ones; it is added to
 */
async function findNegatives(
  table: Table,
  choice: TableChoice,
  negative: NegativePolicy,
  tensor: SparseTensor,
  counts: Map<string, number>,
): Promise<number> {
  if (negative === 'error') return 0
  const key = choiceKey(choice, { what: 'negatives' })
  const known = counts.get(key)
  if (known !== undefined) return known
  // Values that were clipped are zero in the data: they are counted in another read.
  const { values } = negative === 'keep' ? tensor : (await readOnce(table, choice, 'keep')).tensor
  const negatives = values.reduce((count, x) => count + (x < 0 ? 1 : 0), 0)
  counts.set(key, negatives)
  return negatives
}

/** Makes the question of what to do with rows that cannot be read. */
const badRowsQuestion = ({ rows, examples }: BadRows, unit: Table['unit']): Question => ({
  ...{ kind: 'bad', id: 'bad', isNeeded: true, rows, unit },
  examples: [...examples].sort((a: BadRow, b: BadRow) => a.line - b.line),
  answers: [{ key: 'skip', changes: { skipBadRows: true } }],
})

/** The question how repeated rows are merged, or by which column they differ. @param apart columns that tell them apart */
const repeatsQuestion = (rows: number, apart: readonly ApartColumn[]): Question => ({
  ...{ kind: 'repeats', id: 'repeats', isNeeded: true, rows },
  answers: [
    ...(['sum', 'mean', 'last'] as const).map((merge): Answer => ({ key: merge, changes: { merge } })),
    ...apart.map(
      ({ column, binnings }): Answer => ({
        ...{ key: `apart ${column}`, changes: {}, roles: { [column]: { role: 'mode', binnings } } },
      }),
    ),
  ],
})

/** The question what is done with negative values. */
const negativeQuestion = (entries: number): Question => ({
  ...{ kind: 'negative', id: 'negative', isNeeded: true, entries },
  answers: (['keep', 'clip'] as const).map((negative): Answer => ({ key: negative, changes: { negative } })),
})
