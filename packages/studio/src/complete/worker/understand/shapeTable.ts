/** Tables made of others, as a choice requires: other number signs, a column of places, fewer columns. */
import {
  type Batch,
  type Cells,
  cellsOf,
  cellText,
  plainNumber,
  type Texts,
  type Wanted,
} from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import { PLACE, type PlaceChoice, ROW, type TableFormat } from '../../understanding/index.ts'

/** The table with the number signs of a format. */
export function withNumberSigns(table: Table, { decimal, thousands }: TableFormat): Table {
  if (decimal === undefined && thousands === undefined) return table
  const beside = thousands === ',' ? '.' : thousands === '.' ? ',' : table.decimal
  return { ...table, decimal: decimal ?? beside, thousands, guesses: undefined }
}

/** The places of a column of latitudes, so that another choice of other columns finds them; by longitudes and decimals. */
const knownPlaces = new WeakMap<Cells, { longitudes: Cells; decimals: number; places: Texts }>()

/** The table with a last column of places, as in "40.77, -73.95"; empty where a coordinate is no number. */
export function withPlaces(table: Table, { latitude, longitude, decimals }: PlaceChoice): Table {
  const sources = [latitude, longitude].map((name) =>
    table.columns.findIndex((column) => column.name === name),
  )
  const own = table.columns.length
  const addTo = (batch: Batch, wanted: readonly Wanted[], positions: readonly number[]): Batch => {
    if (!wanted.some(({ column }) => column === own)) return batch
    const [latitudes, longitudes] = positions.map((p) => batch.columns[p])
    const known = knownPlaces.get(latitudes)
    const isKnown = known?.longitudes === longitudes && known.decimals === decimals
    const places = isKnown ? known.places : joinPlaces(latitudes, longitudes, batch.rowCount, decimals, table)
    knownPlaces.set(latitudes, { longitudes, decimals, places })
    let next = 0
    return {
      ...batch,
      columns: wanted.map(({ column }) => (column === own ? places : batch.columns[next++])),
    }
  }
  return {
    ...table,
    columns: [...table.columns, { name: PLACE, type: 'VARCHAR' }],
    async sample() {
      const batch = await table.sample()
      const all = table.columns.map((_, column) => ({ column }))
      return addTo(batch, [...all, { column: own }], sources)
    },
    async *read(wanted, options) {
      const given = wanted.filter(({ column }) => column !== own)
      const asked = [...given, ...sources.map((column) => ({ column }))]
      for await (const batch of table.read(asked, options))
        yield addTo(batch, wanted, [given.length, given.length + 1])
    },
  }
}

/** The cells of places; rows at the same place share its text. */
function joinPlaces(
  latitudes: Cells,
  longitudes: Cells,
  rowCount: number,
  decimals: number,
  style: Table,
): Texts {
  const [ys, xs] = [latitudes, longitudes].map((cells) => numbersOf(cells, rowCount, style))
  const power = 10 ** decimals
  const numberOf = new Map<number, number>()
  const texts: (string | null)[] = [null]
  const placeOf = new Uint32Array(rowCount)
  for (let row = 0; row < rowCount; row++) {
    const [y, x] = [ys[row], xs[row]]
    if (!Number.isFinite(y) || !Number.isFinite(x)) continue
    const key = roundAway(y * power) * 4_000_000_007 + roundAway(x * power)
    let place = numberOf.get(key)
    if (place === undefined) {
      place = texts.push(`${roundedText(y, decimals)}, ${roundedText(x, decimals)}`) - 1
      numberOf.set(key, place)
    }
    placeOf[row] = place
  }
  const { bytes, starts, ends } = cellsOf(texts)
  return {
    bytes,
    starts: Int32Array.from(placeOf, (place) => starts[place]),
    ends: Int32Array.from(placeOf, (place) => ends[place]),
  }
}

/** The numbers in cells; NaN where they are empty or no numbers. */
function numbersOf(cells: Cells, rowCount: number, style: Table): Float64Array {
  if (cells instanceof Float64Array) return cells
  return Float64Array.from({ length: rowCount }, (_, row) => numberAt(cells, row, style))
}

/** Rounds to a whole number, halves away from zero. */
const roundAway = (x: number): number => Math.sign(x) * Math.round(Math.abs(x))

/** A coordinate with its decimals, halves rounded away from zero; 0 without a sign. */
function roundedText(x: number, decimals: number): string {
  const power = 10 ** decimals
  return (roundAway(x * power) / power + 0).toFixed(decimals)
}

/** The number in a cell; NaN if it is empty or no number. */
export function numberAt(cells: Cells, row: number, style: Table): number {
  if (cells instanceof Float64Array) return cells[row]
  const text = cellText(cells, row)?.trim() ?? ''
  return text === '' ? Number.NaN : Number(plainNumber(text, style))
}

/** The table with the columns of these positions only. */
export function projectTable(table: Table, positions: readonly number[]): Table {
  return {
    ...table,
    columns: positions.map((p) => table.columns[p]),
    async sample() {
      const batch = await table.sample()
      return { ...batch, columns: positions.map((p) => batch.columns[p]) }
    },
    read: (wanted, options) =>
      table.read(
        wanted.map((one) => ({ ...one, column: positions[one.column] })),
        options,
      ),
  }
}

/** The table with a last column of the numbers of its rows, from 1. */
export function withRowNumbers(table: Table): Table {
  const own = table.columns.length
  const addTo = (batch: Batch, wanted: readonly Wanted[], before: number): Batch => {
    const numbers = Float64Array.from({ length: batch.rowCount }, (_, row) => before + row + 1)
    let next = 0
    return {
      ...batch,
      columns: wanted.map(({ column }) => (column === own ? numbers : batch.columns[next++])),
    }
  }
  return {
    ...table,
    columns: [...table.columns, { name: ROW, type: 'BIGINT' }],
    async sample() {
      const all = [...table.columns, undefined].map((_, column) => ({ column }))
      return addTo(await table.sample(), all, 0)
    },
    async *read(wanted, options) {
      let before = 0
      const given = wanted.filter(({ column }) => column !== own)
      // At least one column is read, for the number of rows.
      for await (const batch of table.read(given.length > 0 ? given : [{ column: 0 }], options)) {
        yield addTo(batch, wanted, before)
        before += batch.rowCount
      }
    },
  }
}
