/** The question what a cell without an entry means, where values are counts of events. */
import '../../styles/understood.css'

interface Props {
  /** Whether such cells are zeros; else they are unknown. */
  isZero: boolean
  onChange(missing: 'zero' | undefined): void
}

/** Asks whether unlisted cells of a table of counts are zeros or unknown. */
export function AbsentCells({ isZero, onChange }: Props) {
  return (
    <div class="question" data-kind="absent">
      <span class="question-text">These are counts of events. A cell that is not listed is</span>
      <span class="answers">
        <button type="button" class="answer" aria-pressed={isZero} onClick={() => onChange('zero')}>
          zero: nothing happened
        </button>
        <button type="button" class="answer" aria-pressed={!isZero} onClick={() => onChange(undefined)}>
          unknown: to be predicted
        </button>
      </span>
    </div>
  )
}
