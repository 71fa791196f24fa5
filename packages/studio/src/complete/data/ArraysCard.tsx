/** The step between a file of several arrays and its data: the question which of them is the data. */
import { formatCount } from 'lacuna-figures/numbers'
import type { ArrayList } from '../protocol.ts'
import { PartQuestion, UnderstoodSection } from './UnderstoodSection.tsx'

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
    <UnderstoodSection name={name}>
      <PartQuestion
        text={`There are ${formatCount(count)} arrays in the file; the data is`}
        parts={listed}
        chosen={variable}
        onChoose={onChoose}
      />
      {count > listed.length && (
        <p class="soft small">
          {formatCount(count - listed.length)} more are not listed; the command line opens them by their
          names.
        </p>
      )}
    </UnderstoodSection>
  )
}
