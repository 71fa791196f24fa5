/** The words of a question about a table and of its answers. */
import { formatCount } from 'lacuna-figures/numbers'
import type { Answer, BadRow, Question } from '../understanding/index.ts'

/** The words before the answers of a question. */
export function wordQuestion(question: Question): string {
  switch (question.kind) {
    case 'encoding':
      return `The text is not UTF-8 (“${question.example}” as it would be read):`
    case 'dates':
    case 'number':
    case 'unit':
      return `“${question.example}” in ${question.column} is`
    case 'wide':
      return `The ${formatCount(question.count)} columns ${question.first} … ${question.last} are`
    case 'repeats':
      return `${countRows(question.rows)} the coordinates of an earlier one:`
    case 'value':
      return `Which is the value, ${question.value} or ${question.weight}?`
    case 'attribute':
      return `Each ${question.on} has one ${question.column}, which says nothing new as a mode:`
    case 'names':
      return `${question.on} and ${question.column} name the same things; the mode is`
    case 'dateTexts':
      return `The dates in ${question.column} are`
    case 'bad':
      return question.rows === 1
        ? 'One row cannot be read:'
        : `${formatCount(question.rows)} rows cannot be read:`
    case 'negative':
      return question.entries === 1
        ? 'One value is negative:'
        : `${formatCount(question.entries)} values are negative:`
  }
}

/** The words of an answer. */
export function wordAnswer(question: Question, { key, reading, roles }: Answer): string {
  switch (question.kind) {
    case 'encoding':
      return 'Read as Western European (Windows-1252)'
    case 'dates':
      return formatTime(reading ?? '')
    case 'number':
      return key === 'text'
        ? 'a label'
        : `${reading}${key === 'thousands' ? ' (thousands)' : ' (a fraction)'}`
    case 'unit':
      return key === 'remove' ? `${reading} (${question.unit} left away)` : 'a label'
    case 'wide':
      return key === 'melt' ? pluralOf(question.mode) : 'columns of their own'
    case 'repeats':
      return roles
        ? `${Object.keys(roles)[0]} tells them apart: use it as a mode`
        : ({ sum: 'add up', mean: 'take the mean', last: 'take the last' }[key] ?? key)
    case 'value':
      return key === 'both'
        ? `${question.value}, weighted by ${question.weight}`
        : key === 'value'
          ? `${question.value} alone`
          : question.weight
    case 'attribute':
      return key === 'mode' ? `use ${question.column} as a mode` : `leave ${question.column} out`
    case 'names':
      return { on: question.on, column: question.column }[key] ?? 'both'
    case 'dateTexts':
      return key === 'text' ? 'labels as they are written' : `days, in the order of time`
    case 'bad':
      return question.rows === 1 ? 'leave it out' : 'leave them out'
    case 'negative':
      return key === 'keep' ? 'keep' : 'clip to 0'
  }
}

/** Describes the fault of a row that cannot be read. */
export function wordBadRow({ line, column, text, fields }: BadRow, unit: 'line' | 'row'): string {
  const where = `${unit} ${line}`
  if (column !== undefined) return `${where}: ${column} is “${text}”`
  const what = fields === 0 ? 'text behind a quoted field' : fields === 1 ? '1 field' : `${fields} fields`
  return `${where}: ${what} in “${text}”`
}

/** A count of rows with a verb: '58 rows repeat'. */
const countRows = (rows: number): string =>
  rows === 1 ? 'One row repeats' : `${formatCount(rows)} rows repeat`

/** The plural of the name of a mode whose labels are columns; a description where the name is only 'column'. */
const pluralOf = (mode: string): string =>
  mode === 'column' ? 'the labels of one mode' : /s$/.test(mode) ? mode : `${mode}s`

/** A time in ISO 8601 in words: April 1, 2014; with the time of day unless it is midnight. */
function formatTime(iso: string): string {
  const time = new Date(iso)
  const hasClock = !/T00:00:00/.test(iso)
  return new Intl.DateTimeFormat('en', {
    dateStyle: 'long',
    ...(hasClock && { timeStyle: 'short' }),
    timeZone: 'UTC',
  }).format(time)
}
