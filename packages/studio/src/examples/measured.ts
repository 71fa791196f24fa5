/**
 * Measured tables of the first screen (data/README.md says where they are from). The files are wide, one line per
 * row of the first mode; here they become one line per cell, without the cells that are empty or hidden.
 */
import { random } from './random.ts'

/** A cell of a wide table. */
interface Cell {
  row: string
  column: string
  value: string
}

/** The cells of a wide table that are not empty. @param text CSV with a header and no quotes */
export function cellsOf(text: string): Cell[] {
  const [[, ...columns], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  return rows.flatMap(([row, ...values]) =>
    values.map((value, i) => ({ row, column: columns[i], value })).filter(({ value }) => value !== ''),
  )
}

const weekdays = ['1 Mon', '2 Tue', '3 Wed', '4 Thu', '5 Fri', '6 Sat', '7 Sun']
const DAY_MS = 86_400_000

/** The fraction of weeks of a station that are hidden. */
export const HIDDEN_WEEKS = 0.25

/**
 * Passengers of the Chicago “L”: station, starting (the Monday of the week), weekday, rides. Some weeks of a
 * station are hidden; days on which a station was closed are empty in the file.
 */
export async function metroTable(): Promise<string> {
  const { default: text } = await import('./data/chicago.csv?raw')
  const { unit } = random(11)
  const isHidden = new Map<string, boolean>()
  const lines = ['station,starting,weekday,rides']
  for (const { row, column, value } of cellsOf(text)) {
    const time = Date.parse(row)
    const weekday = (new Date(time).getUTCDay() + 6) % 7
    const week = new Date(time - weekday * DAY_MS).toISOString().slice(0, 10)
    const group = `${column},${week}`
    if (!isHidden.has(group)) isHidden.set(group, unit() < HIDDEN_WEEKS)
    if (!isHidden.get(group)) lines.push(`${group},${weekdays[weekday]},${value}`)
  }
  return `${lines.join('\n')}\n`
}

/** Degrees with a decimal, without which pairs of numbers are not taken for places. */
const degrees = (text: string): string => Number(text).toFixed(1)

/** Mean wind speeds over the sea: place (latitude and longitude, as in “-14.0 62.0”), month, metres per second. */
export async function windTable(): Promise<string> {
  const { default: text } = await import('./data/winds.csv?raw')
  const lines = cellsOf(text).map(
    ({ row, column, value }) => `${row.split(' ').map(degrees).join(' ')},${column},${value}`,
  )
  return `place,month,speed_m_s\n${lines.join('\n')}\n`
}

/** The fraction of readings of the spectra that are hidden. */
export const HIDDEN_READINGS = 0.6

/** Near-infrared spectra of meat: sample, wavelength_nm, absorbance. */
export async function spectrumTable(): Promise<string> {
  const { default: text } = await import('./data/meats.csv?raw')
  const { unit } = random(5)
  const lines = cellsOf(text)
    .filter(() => unit() >= HIDDEN_READINGS)
    .map(({ row, column, value }) => `sample ${row.padStart(3, '0')},${column},${value}`)
  return `sample,wavelength_nm,absorbance\n${lines.join('\n')}\n`
}
