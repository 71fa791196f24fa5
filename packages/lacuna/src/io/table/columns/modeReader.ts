/** How the cells of a mode become numbers, row by row: by the distinct texts, by the distinct numbers, or by the bins that they fall into. */
import { InputError } from '../../../base/inputError.ts'
import { type ColumnType, canonical, isWhole, numberText, typeOfTexts } from '../../text/index.ts'
import { isMissingMark, noteMark, type Reading, readNumbers } from '../source/cells.ts'
import {
  type Batch,
  type Cells,
  cellText,
  MISSING,
  placeOf,
  type Table,
  type TableColumn,
  type Texts,
} from '../source/rows.ts'
import { type Binning, binnings, binText } from './bins.ts'
import { inOrder, NumberCoder, numbersInOrder, TextCoder } from './coding.ts'
import {
  asIndices,
  type FinishedMode,
  finishNumbers,
  isRaw,
  type KnownMode,
  lookedUp,
  lookedUpBins,
} from './modeIndices.ts'
import type { FoundMode, IndexPolicy } from './modes.ts'
import { TimeColumn, type TimeCounts } from './timeColumn.ts'

/** What has been seen of a mode: its distinct values in order of arrival, by the numbers that they were given. */
export interface ModeDictionary {
  values: readonly string[] | readonly number[]
  /** In place of texts that are all whole numbers, written in the one plain way. */
  wholes?: Uint32Array
  /** Whether some of the numbers that were binned have fractions. */
  fractions?: boolean
  /** Of the numbers that were taken for times. */
  times?: TimeCounts
}

/** The distinct values, whatever they are told by. */
export const valuesOf = ({ values, wholes }: ModeDictionary): readonly string[] | readonly number[] =>
  wholes ? Array.from(wholes, String) : values

export interface ModeReader {
  /**
   * Clears `kept` for the rows that have no value in this mode; comes first, so that these give no labels
   * elsewhere.
   */
  mark(cells: Cells, batch: Batch, kept: Uint8Array): void
  /** A number for the value of each row that is kept; good until the next are asked for. */
  codes(cells: Cells, batch: Batch, kept: Uint8Array): Uint32Array
  seen(): ModeDictionary
  /** `seen`: by this reader, or by several. */
  finish(index: IndexPolicy, known: KnownMode | undefined, seen: ModeDictionary): FinishedMode
}

export function modeReader(mode: FoundMode, table: Table, reading: Reading): ModeReader {
  const column = table.columns[mode.column]
  if (mode.binning) return binnedReader(mode, binnings[mode.binning], column, table, reading)
  const { type } = column
  return type === undefined || type === 'VARCHAR' || type === 'HUGEINT' // beyond what a double holds
    ? textReader(mode, column, reading)
    : numberReader(mode, type)
}

function textReader(mode: FoundMode, column: TableColumn, { unit, decimal }: Reading): ModeReader {
  const coder = new TextCoder()
  const room = roomForCodes()
  return {
    mark(cells, { rowCount }, kept) {
      const { starts, ends, numbers } = cells as Texts
      if (numbers?.empty(rowCount) === 0) return
      for (let row = 0; row < rowCount; row++) if (ends[row] < starts[row]) kept[row] = 0
    },
    codes(cells, batch, kept) {
      const texts = cells as Texts
      const { bytes, starts, ends, dictionary } = texts
      if (dictionary) return coder.codesOf(dictionary, kept)
      const { rowCount } = batch
      const codes = room(rowCount)
      const known = texts.numbers?.codesOf(coder)
      if (known) {
        // What this coder has numbered elsewhere is not to be numbered again.
        const next = known.numbers === coder.numbers ? coder.size : undefined
        const { missing, fresh } = known.lookUp(rowCount, kept, codes, next)
        coder.add(fresh)
        if (missing === 0) return codes
      }
      let row = 0
      try {
        for (; row < rowCount; row++) {
          if (kept[row] === 0 || (known && codes[row] !== MISSING)) continue
          codes[row] = coder.code(bytes, starts[row], ends[row])
          known?.remember(row, codes[row])
        }
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        const place = placeOf(batch, row, unit)
        throw new InputError('format', `${place}: this is not UTF-8 text; convert the file to UTF-8.`)
      }
      return codes
    },
    seen() {
      const wholes = coder.wholes()
      return wholes ? { values: [], wholes } : { values: coder.texts() }
    },
    finish(index, known, found) {
      const { wholes } = found
      if (wholes && !known?.labels && column.type === undefined)
        return finishNumbers(mode, 'BIGINT', wholes, index, known)
      const comma = /^\s*[-+]?\d+,\d+\s*$/
      const seen = valuesOf(found) as readonly string[]
      const texts = decimal === ',' ? seen.map((t) => (comma.test(t) ? t.replace(',', '.') : t)) : seen
      if (known?.labels) return lookedUp(texts, known.labels, known.type)
      const type = column.type ?? typeOfTexts(texts, column.quoted)
      const written = texts.map((text) => canonical(text, type) ?? text)
      if (isRaw(index, mode, type, known !== undefined))
        return { type, places: asIndices(mode, written.map(Number)) }
      return { type, ...inOrder(written, type) }
    },
  }
}

function numberReader(mode: FoundMode, type: ColumnType): ModeReader {
  const coder = new NumberCoder(mode.name)
  const room = roomForCodes()
  return {
    mark(cells, { rowCount }, kept) {
      const numbers = cells as Float64Array
      for (let row = 0; row < rowCount; row++) if (!Number.isFinite(numbers[row])) kept[row] = 0
    },
    codes(cells, { rowCount }, kept) {
      const numbers = cells as Float64Array
      const codes = room(rowCount)
      for (let row = 0; row < rowCount; row++) if (kept[row] === 1) codes[row] = coder.code(numbers[row] + 0)
      return codes
    },
    seen: () => ({ values: coder.numbers }),
    finish(index, known, { values }) {
      const numbers = values as readonly number[]
      if (known?.labels)
        return lookedUp(
          numbers.map((x) => numberText(x, type)),
          known.labels,
          known.type,
        )
      return finishNumbers(mode, type, numbers, index, known)
    },
  }
}

function binnedReader(
  mode: FoundMode,
  binning: Binning,
  column: TableColumn,
  table: Table,
  reading: Reading,
): ModeReader {
  const coder = new NumberCoder(mode.name)
  const argument = mode.argument ?? 0
  const times = new TimeColumn(column.name, column.type, mode.dates)
  const room = roomForCodes()
  const { grid } = binning
  const place = grid && { unit: grid.unit, origin: grid.origin(argument) }
  /** Of times the cells of the grid, else numbers. */
  let found: Float64Array = new Float64Array(0)
  let whole = column.type === undefined || isWhole(column.type)
  /** How many there are none of. */
  const readTimes = (cells: Cells, batch: Batch): number => {
    if (found.length < batch.rowCount) found = new Float64Array(batch.rowCount)
    const missing = times.gridCells(cells, batch.rowCount, place!, found)
    if (missing === 0 || cells instanceof Float64Array) return missing
    for (let row = 0; row < batch.rowCount; row++) {
      if (!Number.isNaN(found[row]) || cells.ends[row] <= cells.starts[row]) continue
      const text = cellText(cells, row) ?? ''
      if (!isMissingMark(text))
        throw times.explain(text, placeOf(batch, row, reading.unit), neighbours(cells, batch))
      noteMark(reading.marks, batch, row, reading.unit, text)
    }
    return missing
  }
  return {
    mark(cells, batch, kept) {
      if (grid) {
        if (readTimes(cells, batch) === 0) return
      } else found = readNumbers(cells, batch, mode.name, reading)
      for (let row = 0; row < batch.rowCount; row++) if (!Number.isFinite(found[row])) kept[row] = 0
    },
    codes(cells, { rowCount }, kept) {
      const codes = room(rowCount)
      if (grid) {
        const known = cells instanceof Float64Array ? undefined : cells.numbers?.codesOf(coder)
        if (known?.lookUpCells(rowCount, found, kept, codes) === 0) return codes
        for (let row = 0; row < rowCount; row++) {
          if (kept[row] === 0 || (known && codes[row] !== MISSING)) continue
          codes[row] = coder.code(grid.binOf(found[row]))
          known?.rememberCell(found[row], codes[row])
        }
        return codes
      }
      for (let row = 0; row < rowCount; row++) {
        if (kept[row] === 0) continue
        if (whole && !Number.isInteger(found[row])) whole = false
        codes[row] = coder.code(binning.bin(found[row], argument))
      }
      return codes
    },
    seen: () => ({ values: coder.numbers, fractions: !whole, times: times.counts }),
    finish(index, known, seen) {
      if (binning.of === 'time') times.check(table.name, seen.times ?? times.counts)
      const numbers = seen.values as readonly number[]
      const areWhole = !seen.fractions
      // Bins of whole numbers by a whole width are whole; of times they are what they are.
      const wholes =
        binning.of === 'number' &&
        areWhole &&
        Number.isInteger(argument) &&
        !/^round/.test(mode.binning ?? '')
      const type = wholes ? 'BIGINT' : binning.type
      if (known?.labels) return lookedUpBins(numbers, binning, known.labels)
      if (isRaw(index, mode, type, known !== undefined)) return { type, places: asIndices(mode, numbers) }
      const { sorted, places } = numbersInOrder(numbers)
      return { type, labels: sorted.map((bin) => binText(binning, bin, wholes)), places }
    },
  }
}

/** Codes of the rows of a batch, good until those of the next are asked for. */
function roomForCodes(): (rowCount: number) => Uint32Array {
  let codes = new Uint32Array(0)
  return (rowCount) => {
    if (codes.length < rowCount) codes = new Uint32Array(rowCount)
    return codes.subarray(0, rowCount)
  }
}

/** Some cells of the same column, to tell by them how times are written. */
function neighbours(cells: Texts, { rowCount }: Batch): string[] {
  const texts = new Set<string>()
  for (let row = 0; row < rowCount && texts.size < 1000; row++) {
    const text = cellText(cells, row)
    if (text && !isMissingMark(text)) texts.add(text)
  }
  return [...texts]
}
