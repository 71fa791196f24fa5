/** The step between a table and its data: what was understood, what must be asked, and the roles of the columns. */
import { useState } from 'preact/hooks'
import type { ReadSettings } from '../protocol.ts'
import { openQuestions, type Question, type TableChoice, type Understanding } from '../understanding/index.ts'
import { PreviewTable } from './PreviewTable.tsx'
import { QuestionList } from './QuestionList.tsx'
import { PartQuestion, UnderstoodSection } from './UnderstoodSection.tsx'

interface Props {
  name: string
  understanding: Understanding
  /** All questions: those of the first rows, and those found when the table was read. */
  questions: readonly Question[]
  settings: ReadSettings
  /** Whether another choice reads the file again, since it is too large to be kept in memory. */
  isReadAgain: boolean
  /** Whether the first rows are hidden until they are asked for, since there is a result already. */
  isCompact: boolean
  onChange(settings: ReadSettings): void
  /** Opens another sheet of a workbook. */
  onSheet(sheet: string): void
}

/** The card of what was understood of a table. */
export function UnderstoodCard(props: Props) {
  const { name, understanding, questions, settings, isReadAgain, isCompact, onChange, onSheet } = props
  const [isAsked, setAsked] = useState(false)
  const { choice } = settings
  if (!choice) return null
  const open = openQuestions(questions, settings).length
  const { sheets } = understanding
  return (
    <UnderstoodSection name={name}>
      <p data-testid="meaning">{describeMeaning(choice)}</p>
      {sheets && sheets.all.length > 1 && (
        <PartQuestion
          text="The sheet is"
          parts={sheets.all.map((sheet) => ({ name: sheet, text: sheet }))}
          chosen={sheets.sheet}
          onChoose={onSheet}
        />
      )}
      <QuestionList {...{ questions, understanding, settings, onChange }} />
      {open > 0 && (
        <p class="soft small" role="status">
          {open === 1 ? 'One question is' : `${open} questions are`} open; until then the first answer is
          assumed in what is shown below.
        </p>
      )}
      {isCompact && (
        <button type="button" class="button quiet" aria-expanded={isAsked} onClick={() => setAsked(!isAsked)}>
          {isAsked ? 'Hide the columns' : 'Change the columns'}
        </button>
      )}
      {(!isCompact || isAsked) && (
        <PreviewTable
          {...{ understanding, choice }}
          onChange={(next: TableChoice) => onChange({ ...settings, choice: next })}
        />
      )}
      {isReadAgain && (
        <p class="soft small">
          The table is too large to be kept in memory: each change reads the file again.
        </p>
      )}
    </UnderstoodSection>
  )
}

/** The most modes that are named in a sentence. */
const MOST_NAMED = 6

/** A sentence of what a row of the table is. */
function describeMeaning({ modes, melt, value, weight }: TableChoice): string {
  const all = melt === undefined ? modes : [...modes, melt]
  if (all.length < 2) return 'Choose at least two columns as modes: what a value belongs to.'
  const named = all.slice(0, all.length > MOST_NAMED ? MOST_NAMED : -1).join(', ')
  const where = `${named} and ${all.length > MOST_NAMED ? `${all.length - MOST_NAMED} more` : all.at(-1)}`
  const what =
    melt !== undefined
      ? `Every cell is a value by ${where}`
      : value === undefined
        ? `Rows are counted by ${where}`
        : `Every row is a value of ${value} by ${where}`
  return `${what}${weight === undefined ? '' : `, weighted by ${weight}`}.`
}
