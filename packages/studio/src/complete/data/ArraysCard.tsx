/** The step between a file of several arrays and its data: the question which of them is the data. */
import '../../styles/understood.css'
import { formatCount } from 'lacuna-figures/numbers'
import type { ArrayList } from '../protocol.ts'

interface Props {
  /** The name of the file. */
  name: string
  arrays: ArrayList
  /** The array that is read; undefined until one is chosen. */
  variable: string | undefined
  onChoose(variable: string): void
}

/** The card of the arrays in a file, each with its shape and type as a button. */
export function ArraysCard({ name, arrays, variable, onChoose }: Props) {
  const { count, listed } = arrays
  return (
    <section class="card stack understood" aria-label="What I understood">
      <div class="understood-head">
        <h2>What I understood</h2>
        <p class="soft small">{name}</p>
      </div>
      <div class={variable === undefined ? 'question open' : 'question'}>
        <span class="question-text">There are {formatCount(count)} arrays in the file; the data is</span>
        <span class="answers">
          {listed.map((array) => (
            <button
              key={array.name}
              type="button"
              class="answer"
              aria-pressed={array.name === variable}
              onClick={() => onChoose(array.name)}
            >
              {array.text}
            </button>
          ))}
        </span>
        {count > listed.length && (
          <span class="soft small">
            and {formatCount(count - listed.length)} more, which the command line opens by their names
          </span>
        )}
      </div>
    </section>
  )
}
