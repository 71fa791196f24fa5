/** The questions about a table, each with its answers as buttons. */
import { useState } from 'preact/hooks'
import type { ReadSettings } from '../protocol.ts'
import { applyAnswer, isChosen, type Question, type Understanding } from '../understanding/index.ts'
import { wordAnswer, wordBadRow, wordQuestion } from './wordQuestion.ts'

interface Props {
  questions: readonly Question[]
  understanding: Understanding
  settings: ReadSettings
  onChange(settings: ReadSettings): void
}

/** A list of questions; those that must be answered and are not stand out. */
export function QuestionList({ questions, ...others }: Props) {
  if (questions.length === 0) return null
  return (
    <ul class="questions" aria-label="Questions">
      {questions.map((question) => (
        <QuestionItem key={question.id} {...{ question, ...others }} />
      ))}
    </ul>
  )
}

/**
 * A question with its answers. Pressing the chosen answer of a question with a single answer opens the question
 * again.
 */
function QuestionItem(props: Omit<Props, 'questions'> & { question: Question }) {
  const { question, understanding, settings, onChange } = props
  const [isShown, setShown] = useState(false)
  const { answers, isNeeded } = question
  const isAnswered = answers.some((answer) => isChosen(answer, settings))
  const isOpen = isNeeded && !isAnswered
  return (
    <li class={isOpen ? 'question open' : 'question'} data-kind={question.kind}>
      <span class="question-text">{wordQuestion(question)}</span>
      <span class="answers">
        {answers.map((answer) => (
          <button
            key={answer.key}
            type="button"
            class="answer"
            aria-pressed={isChosen(answer, settings)}
            onClick={() => onChange(applyAnswer(settings, answer, understanding))}
          >
            {wordAnswer(question, answer)}
          </button>
        ))}
        {question.kind === 'bad' && (
          <button
            type="button"
            class="answer quiet"
            aria-expanded={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? 'hide them' : 'show them'}
          </button>
        )}
      </span>
      {question.kind === 'bad' && isShown && (
        <ol class="bad-rows">
          {question.examples.map((row) => (
            <li key={row.line}>{wordBadRow(row, question.unit)}</li>
          ))}
          {question.rows > question.examples.length && (
            <li class="soft">and {question.rows - question.examples.length} more</li>
          )}
        </ol>
      )}
    </li>
  )
}
