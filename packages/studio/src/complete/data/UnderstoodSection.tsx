/** Parts of the step between a file and its data that tables and files of arrays share. */
import '../../styles/understood.css'
import type { ComponentChildren } from 'preact'

/** The card of what was understood of a file. */
export function UnderstoodSection({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <section class="card stack understood" aria-label="What I understood">
      <div class="understood-head">
        <h2>What I understood</h2>
        <p class="soft small">{name}</p>
      </div>
      {children}
    </section>
  )
}

interface PartProps {
  /** The words before the buttons. */
  text: string
  /** The parts of the file: the name of each, and the text of its button. */
  parts: readonly { name: string; text: string }[]
  /** The part that is read; undefined until one is chosen. */
  chosen: string | undefined
  onChoose(name: string): void
}

/** Asks which sheet of a workbook, or which array of a file, is read; it stands out until it is answered. */
export function PartQuestion({ text, parts, chosen, onChoose }: PartProps) {
  return (
    <div class={chosen === undefined ? 'question open' : 'question'}>
      <span class="question-text">{text}</span>
      <span class="answers">
        {parts.map((part) => (
          <button
            key={part.name}
            type="button"
            class="answer"
            aria-pressed={part.name === chosen}
            onClick={() => onChoose(part.name)}
          >
            {part.text}
          </button>
        ))}
      </span>
    </div>
  )
}
