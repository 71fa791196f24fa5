/**
 * The cells of a mode as codes: numbers of its distinct texts, its distinct numbers, or the bins that they
 * fall into.
 */

import { InputError } from '../../../base/inputError.ts'
import {
  type Binning,
  binnings,
  binText,
  type ColumnType,
  canonicalText,
  isNumeric,
  isWhole,
  numberText,
  typeOfTexts,
} from '../../../labels/index.ts'
import { notUtf8 } from '../../text/index.ts'
import { type CellContext, isMissingMark, noteMark, readNumbers } from '../source/cells.ts'
import { plainNumber } from '../source/numberStyle.ts'
import {
  type Batch,
  type Cells,
  cellText,
  locateRow,
  MISSING,
  type Table,
  type TableColumn,
  type Texts,
} from '../source/rows.ts'
import { NumberCoder, sortNumbers, sortTexts, TextCoder } from './coding.ts'
import {
  type FinishedMode,
  findBins,
  findLabels,
  finishNumbers,
  isRaw,
  type KnownMode,
  toIndices,
  UNKNOWN,
} from './modeIndices.ts'
import type { FoundMode, IndexPolicy } from './modes.ts'
import { TimeColumn, type TimeCounts } from './timeColumn.ts'

/** The distinct values of a mode in order of arrival: the code of a value is its position. */
export interface ModeDictionary {
  /** Texts, numbers, or the numbers of bins. */
  values: readonly string[] | readonly number[]
  /**
   * The labels as numbers, instead of `values`, if all texts are whole numbers without signs or leading zeros.
   */
  integers?: Uint32Array
  /** Whether some of the binned numbers have fractions. */
  fractions?: boolean
  /** Counts of the numbers that were read as times and look like dates. */
  times?: TimeCounts
}

/**
 * The distinct values of a dictionary by code: `values`, or where the dictionary has `integers` instead,
 * these as text.
 */
export const distinctValues = ({
  values,
  integers,
}: ModeDictionary): readonly string[] | readonly number[] =>
  integers ? Array.from(integers, String) : values

/** Encodes the cells of one mode, batch by batch. */
export interface ModeReader {
  /**
   * Clears `valid` for the rows that have no value in this mode. Precedes `codes`, so that such rows add no
   * labels to other modes.
   */
  mark(cells: Cells, batch: Batch, valid: Uint8Array): void
  /** The code of each valid row's value. The array is overwritten by the next call. */
  codes(cells: Cells, batch: Batch, valid: Uint8Array): Uint32Array
  /** The distinct values so far. */
  dictionary(): ModeDictionary
  /**
   * Sorts the values, when all are known, and makes them labels or indices. Throws if they cannot be what
   * `index` or `known` demand.
   * @param index whether whole numbers are indices themselves
   * @param known the mode of a model or tensor whose labels, or indices, are used instead
   * @param dictionary of this reader, or merged from several readers of the same mode
   */
  finish(index: IndexPolicy, known: KnownMode | undefined, dictionary: ModeDictionary): FinishedMode
}

/** Returns the reader for a mode: of bins if it is binned, else of texts or numbers by the column's type. */
export function modeReader(mode: FoundMode, table: Table, context: CellContext): ModeReader {
  const column = table.columns[mode.column]
  if (mode.binning) return binnedReader(mode, binnings[mode.binning], column, table, context)
  const { type } = column
  return type === undefined || type === 'VARCHAR' || type === 'HUGEINT' // beyond what a double holds
    ? textReader(mode, column, context)
    : numberReader(mode, type)
}

/** The reader of a mode whose labels are texts; these may turn out to be numbers when all are known. */
function textReader(mode: FoundMode, column: TableColumn, { unit, ...style }: CellContext): ModeReader {
  const coder = new TextCoder()
  const codesFor = codesBuffer()
  /** Makes texts of a type labels or indices. @param mustBeRaw whether they must be indices */
  const finishTexts = (
    texts: readonly string[],
    type: ColumnType,
    index: IndexPolicy,
    mustBeRaw: boolean,
  ): FinishedMode => {
    const written = texts.map((text) => canonicalText(text, type) ?? text)
    if (isRaw(index, mode, type, mustBeRaw))
      return { type, indexOfCode: toIndices(mode, written.map(Number)) }
    return { type, ...sortTexts(written, type) }
  }
  return {
    mark(cells, { rowCount }, valid) {
      const { starts, ends, reader } = cells as Texts
      if (reader?.empty(rowCount) === 0) return
      for (let row = 0; row < rowCount; row++) if (ends[row] < starts[row]) valid[row] = 0
    },
    codes(cells, batch, valid) {
      const texts = cells as Texts
      const { bytes, starts, ends, dictionary } = texts
      if (dictionary) return coder.encodeDictionary(dictionary, valid)
      const { rowCount } = batch
      const codes = codesFor(rowCount)
      const cache = texts.reader?.cacheOf(coder)
      if (cache) {
        // The kernel may give codes only if its cache has all numbers that the coder has.
        const next = cache.numberCount === coder.numberCount ? coder.size : undefined
        const { missing, fresh } = cache.lookUp(rowCount, valid, codes, next)
        coder.addNumbers(fresh)
        if (missing === 0) return codes
      }
      let row = 0
      try {
        for (; row < rowCount; row++) {
          if (valid[row] === 0 || (cache && codes[row] !== MISSING)) continue
          codes[row] = coder.code(bytes, starts[row], ends[row])
          cache?.remember(row, codes[row])
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        const where = locateRow(batch, row, unit)
        throw new InputError('format', notUtf8(batch.file, where))
      }
      return codes
    },
    dictionary() {
      const integers = coder.integers()
      return integers ? { values: [], integers } : { values: coder.texts() }
    },
    finish(index, known, dictionary) {
      const { integers } = dictionary
      if (integers && !known?.labels && column.type === undefined)
        return finishNumbers(mode, 'BIGINT', integers, index, known)
      const given = distinctValues(dictionary) as readonly string[]
      const hasSigns = style.decimal === ',' || style.thousands !== undefined
      const withPoints = hasSigns ? given.map((text) => plainNumber(text, style)) : given
      // Only numbers have decimal commas: in a mode of texts, "1,5" stays as it is.
      const textsOf = (type: ColumnType): readonly string[] => (isNumeric(type) ? withPoints : given)
      if (known?.labels) {
        const knownType = (known.type ?? 'VARCHAR') as ColumnType
        return findLabels(textsOf(knownType), known.labels, known.type)
      }
      const type = column.type ?? typeOfTexts(withPoints, column.quoted)
      if (type === 'VARCHAR' && column.type === undefined && withPoints.some(isMissingMark)) {
        const filled = withPoints.filter((text) => !isMissingMark(text))
        const filledType = typeOfTexts(filled, column.quoted)
        if (filledType !== 'VARCHAR')
          return withoutMarks(withPoints, finishTexts(filled, filledType, index, known !== undefined))
      }
      return finishTexts(textsOf(type), type, index, known !== undefined)
    },
  }
}

/**
 * A mode of texts by that of the texts which are no marks for missing values: the codes of marks are UNKNOWN.
 * @param texts distinct, by code
 */
function withoutMarks(texts: readonly string[], { indexOfCode, ...mode }: FinishedMode): FinishedMode {
  let filled = 0
  return {
    ...mode,
    indexOfCode: Uint32Array.from(texts, (text) => (isMissingMark(text) ? UNKNOWN : indexOfCode[filled++])),
    mark: texts.find(isMissingMark),
  }
}

/** The reader of a mode of numbers, dates or times that come as numbers. @param type of the column */
function numberReader(mode: FoundMode, type: ColumnType): ModeReader {
  const coder = new NumberCoder(mode.name)
  const codesFor = codesBuffer()
  return {
    mark(cells, { rowCount }, valid) {
      const numbers = cells as Float64Array
      for (let row = 0; row < rowCount; row++) if (!Number.isFinite(numbers[row])) valid[row] = 0
    },
    codes(cells, { rowCount }, valid) {
      const numbers = cells as Float64Array
      const codes = codesFor(rowCount)
      for (let row = 0; row < rowCount; row++) if (valid[row] === 1) codes[row] = coder.code(numbers[row] + 0)
      return codes
    },
    dictionary: () => ({ values: coder.numbers }),
    finish(index, known, { values }) {
      const numbers = values as readonly number[]
      if (known?.labels)
        return findLabels(
          numbers.map((x) => numberText(x, type)),
          known.labels,
          known.type,
        )
      return finishNumbers(mode, type, numbers, index, known)
    },
  }
}

/** The reader of a mode of bins of times or numbers. */
function binnedReader(
  mode: FoundMode,
  binning: Binning,
  column: TableColumn,
  table: Table,
  context: CellContext,
): ModeReader {
  const coder = new NumberCoder(mode.name)
  const argument = mode.argument ?? 0
  const times = new TimeColumn(column.name, column.type, mode.dates, mode.timezone)
  const codesFor = codesBuffer()
  const { grid } = binning
  const gridOrigin = grid && { unit: grid.unit, origin: grid.origin(argument) }
  /** The cells of the last batch: cells of the time grid, or numbers. */
  let found: Float64Array = new Float64Array(0)
  let whole = column.type === undefined || isWhole(column.type)
  /**
   * Reads the times of a batch into `found`; returns the number of cells without one. Throws if a text is no
   * time.
   */
  const readTimes = (cells: Cells, batch: Batch): number => {
    if (found.length < batch.rowCount) found = new Float64Array(batch.rowCount)
    const missing = times.gridCells(cells, batch.rowCount, gridOrigin!, found)
    if (missing === 0 || cells instanceof Float64Array) return missing
    for (let row = 0; row < batch.rowCount; row++) {
      if (!Number.isNaN(found[row]) || cells.ends[row] <= cells.starts[row]) continue
      const text = cellText(cells, row) ?? ''
      if (!isMissingMark(text))
        throw times.explain(text, locateRow(batch, row, context.unit), sampleTexts(cells, batch))
      noteMark(context.marks, batch, row, context.unit, text)
    }
    return missing
  }
  return {
    mark(cells, batch, valid) {
      if (grid) {
        if (readTimes(cells, batch) === 0) return
      } else found = readNumbers(cells, batch, mode.name, context)
      for (let row = 0; row < batch.rowCount; row++) if (!Number.isFinite(found[row])) valid[row] = 0
    },
    codes(cells, { rowCount }, valid) {
      const codes = codesFor(rowCount)
      if (grid) {
        const cache = cells instanceof Float64Array ? undefined : cells.reader?.cacheOf(coder)
        if (cache?.lookUpCells(rowCount, found, valid, codes) === 0) return codes
        for (let row = 0; row < rowCount; row++) {
          if (valid[row] === 0 || (cache && codes[row] !== MISSING)) continue
          codes[row] = coder.code(grid.binOf(found[row]))
          cache?.rememberCell(found[row], codes[row])
        }
        return codes
      }
      for (let row = 0; row < rowCount; row++) {
        if (valid[row] === 0) continue
        if (whole && !Number.isInteger(found[row])) whole = false
        codes[row] = coder.code(binning.bin(found[row], argument))
      }
      return codes
    },
    dictionary: () => ({ values: coder.numbers, fractions: !whole, times: times.counts }),
    finish(index, known, dictionary) {
      if (binning.of === 'time') times.check(table.name, dictionary.times ?? times.counts)
      const numbers = dictionary.values as readonly number[]
      const areWhole = !dictionary.fractions
      // Bins of whole numbers by a whole width are whole; of times they are what they are.
      const integers =
        binning.of === 'number' &&
        areWhole &&
        Number.isInteger(argument) &&
        !/^round/.test(mode.binning ?? '')
      const type = integers ? 'BIGINT' : binning.type
      if (known?.labels) return findBins(numbers, binning, known.labels)
      if (isRaw(index, mode, type, known !== undefined))
        return { type, indexOfCode: toIndices(mode, numbers) }
      const { sorted, indexOfCode } = sortNumbers(numbers)
      return { type, labels: sorted.map((bin) => binText(binning, bin, integers)), indexOfCode }
    },
  }
}

/** Returns an allocator of arrays for the codes of a batch; the memory is reused for the next batch. */
function codesBuffer(): (rowCount: number) => Uint32Array {
  let codes = new Uint32Array(0)
  return (rowCount) => {
    if (codes.length < rowCount) codes = new Uint32Array(rowCount)
    return codes.subarray(0, rowCount)
  }
}

/** Up to 1000 distinct texts of a column, without marks, from which the format of its times is guessed. */
function sampleTexts(cells: Texts, { rowCount }: Batch): string[] {
  const texts = new Set<string>()
  for (let row = 0; row < rowCount && texts.size < 1000; row++) {
    const text = cellText(cells, row)
    if (text && !isMissingMark(text)) texts.add(text)
  }
  return [...texts]
}
