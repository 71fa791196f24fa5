/**
 * The worker's interpretation of a table and its questions, as plain data: each answer to a question has the changes
 * that it makes to the choice. The page puts them into words.
 */
import type { ColumnSummary, NegativePolicy } from 'lacuna/internal'
import { type ChoiceChanges, hasRoles, type RoleSetting, settleRoles, type TableChoice } from './choice.ts'

/** An answer to a question. */
export interface Answer {
  /** Names the answer; unique in its question. */
  key: string
  /** The example of the question as this answer reads it: a date in ISO 8601, or a number. */
  reading?: string
  /** The changes of the choice that the answer makes; it is chosen if the choice contains them. */
  changes: ChoiceChanges
  /** The roles of columns that the answer sets; it is chosen if they have them. */
  roles?: Record<string, RoleSetting>
}

/** The roles of the columns that are guessed where numbers and dates are read, and columns melted, in some way. */
export interface RoleGuess {
  format: FormatAnswers
  roles: Partial<TableChoice>
}

/** What the guess of the roles depends on. */
export type FormatAnswers = Pick<TableChoice, (typeof FORMAT_ANSWERS)[number]>

/** The fields of a choice that the guess of the roles depends on. */
const FORMAT_ANSWERS = ['dates', 'decimal', 'thousands', 'removeUnits', 'melt'] as const

/** A row that cannot be read. */
export interface BadRow {
  /** The line of the file, or the number of the row. */
  line: number
  /** The column that cannot be read; undefined if the line has not as many fields as the first. */
  column?: string
  /** The text of the cell or of the line, abbreviated. */
  text: string
  /** The number of fields of the line, where that is what is wrong; 0 if there is text behind a quoted field. */
  fields?: number
}

/** The facts of a question, by its kind. */
export type QuestionFacts =
  /** Text that is not UTF-8, and a word of it as it is read. */
  | { kind: 'encoding'; example: string }
  /** Dates that can be read in one or more ways other than ISO 8601. */
  | { kind: 'dates'; column: string; example: string }
  /** Numbers such as 1,234, whose separator may stand before fractions or between thousands. */
  | { kind: 'number'; column: string; example: string }
  /** Numbers with a unit. */
  | { kind: 'unit'; column: string; example: string; unit: string }
  /** Columns that are labels of one mode. */
  | { kind: 'wide'; first: string; last: string; count: number; mode: string }
  /** A column whose label follows from that of another one, which is a mode. */
  | { kind: 'attribute'; column: string; on: string }
  /** Two columns of numbers: the second may weight the first, or be the value itself. */
  | { kind: 'value'; value: string; weight: string }
  /** Two columns whose labels follow from each other, as ids and names; `on` is the mode. */
  | { kind: 'names'; column: string; on: string }
  /** Rows of the same coordinates. An answer with roles takes a column as a mode that tells them apart. */
  | { kind: 'repeats'; rows: number }
  /** Dates whose format is known, in a mode that keeps them as text. */
  | { kind: 'dateTexts'; column: string }
  /** Rows that cannot be read. */
  | { kind: 'bad'; rows: number; unit: 'line' | 'row'; examples: BadRow[] }
  /** Negative values, which a nonnegative model does not predict. */
  | { kind: 'negative'; entries: number }

/** A question about a table. */
export type Question = QuestionFacts & {
  /** Unique among the questions about a table. */
  id: string
  /** Whether the question must be answered before learning; else an answer was guessed. */
  isNeeded: boolean
  answers: Answer[]
}

/** The columns of a table, as its first rows show them, and the questions that remain. */
export interface Understanding {
  columns: ColumnSummary[]
  /** The guessed choice. */
  choice: TableChoice
  /** The first rows, as text; as many columns as `columns`, or the first of very many. */
  preview: string[][]
  questions: Question[]
  /** The guessed roles for all answers together that change how the table is read, in whatever order they are given. */
  guesses: RoleGuess[]
  /** The sheets of a workbook, and the one that is the table. */
  sheets?: { all: string[]; sheet: string }
}

/** Whether a choice contains the changes of an answer. */
export function isChosen(
  { changes, roles }: Answer,
  settings: { choice?: TableChoice; negative?: string },
): boolean {
  const current: Record<string, unknown> = { ...settings.choice, negative: settings.negative }
  if (roles && !(settings.choice && hasRoles(settings.choice, roles))) return false
  return Object.entries(changes).every(
    ([key, value]) => JSON.stringify(current[key]) === JSON.stringify(value),
  )
}

/** Whether a choice has the answers for which roles were guessed. */
const isGuessFor = ({ format }: RoleGuess, choice: TableChoice): boolean =>
  FORMAT_ANSWERS.every((key) => JSON.stringify(format[key]) === JSON.stringify(choice[key]))

/**
 * The settings after an answer. The roles are those guessed for this and all earlier answers, and those that answers have
 * set. Roles that the user has changed stay, unless the answer is about the columns of a wide table, which have no roles otherwise; so does a chosen
 * way to merge rows.
 */
export function applyAnswer<S extends { choice?: TableChoice; negative: NegativePolicy }>(
  settings: S,
  { changes, roles }: Answer,
  { columns, guesses }: Pick<Understanding, 'columns' | 'guesses'>,
): S {
  const { negative = settings.negative, ...choiceChanges } = changes
  const { choice } = settings
  if (!choice) return { ...settings, negative }
  const keepsRoles = choice.edited && !('melt' in changes)
  const isMerged = choice.merge !== 'error' && choice.merge !== 'count'
  const changed = { ...choice, ...choiceChanges }
  const isFormat = FORMAT_ANSWERS.some((key) => key in changes)
  const guess = isFormat && !keepsRoles ? guesses.find((one) => isGuessFor(one, changed)) : undefined
  const settled =
    'melt' in changes || (!choice.settled && !roles) ? undefined : { ...choice.settled, ...roles }
  const guessed = { ...changed, ...guess?.roles, settled }
  const next = settleRoles(guessed, columns, (guess ? settled : roles) ?? {})
  const merge = isMerged && next.merge === 'error' ? choice.merge : next.merge
  return { ...settings, negative, choice: { ...next, merge } }
}

/** The questions that must be answered and are not. */
export const openQuestions = (
  questions: readonly Question[],
  settings: { choice?: TableChoice; negative?: string },
): Question[] =>
  questions.filter(
    ({ isNeeded, answers }) => isNeeded && !answers.some((answer) => isChosen(answer, settings)),
  )

/** The settings with the format of dates that all rows have shown, where the user did not have to choose it. */
export function withFoundDates<S extends { choice?: TableChoice }>(
  settings: S,
  questions: readonly Question[] = [],
): S {
  const found = questions.find(({ kind, isNeeded }) => kind === 'dates' && !isNeeded)?.answers[0]
  if (!settings.choice || settings.choice.dates || !found) return settings
  return { ...settings, choice: { ...settings.choice, dates: [found.key] } }
}
