/** The components that a prediction is due to. */
import { formatPercent } from 'lacuna-figures/numbers'

interface Props {
  components: readonly { number: number; fraction: number }[]
  chosen: number | undefined
  onChoose(component: number | undefined): void
}

/** A small button per component, which lights it up. */
export function Reasons({ components, chosen, onChoose }: Props) {
  return (
    <span class="reasons">
      {components.map(({ number, fraction }) => (
        <button
          key={number}
          type="button"
          class="chip"
          aria-pressed={chosen === number}
          aria-label={`Component ${number}: ${formatPercent(fraction)} of this prediction`}
          title={`Component ${number}: ${formatPercent(fraction)} of this prediction`}
          onClick={() => onChoose(chosen === number ? undefined : number)}
        >
          {number} <small>{formatPercent(fraction)}</small>
        </button>
      ))}
    </span>
  )
}
