/** Describes a model that was opened as a file. */
import type { Opened } from '../protocol.ts'
import { OutOfFold } from './VerdictCard.tsx'

/** Its name, its size, and the out-of-fold error of an ensemble. */
export function ModelCard({ name, model }: Extract<Opened, { kind: 'model' }>) {
  return (
    <section class="card stack">
      <h2>{name}</h2>
      <p class="soft">
        {model.models > 1 ? `${model.models} models` : 'A model'} of{' '}
        {model.modes.map((mode) => `${mode.size} ${mode.name}`).join(' × ')}, rank {model.rank}.
      </p>
      {model.outOfFold && <OutOfFold {...model.outOfFold} />}
    </section>
  )
}
