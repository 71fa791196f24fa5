/** A bar of the components' shares, by which one of them is chosen for all pages. */
import { formatPercent } from 'lacuna-figures/numbers'
import type { Component } from '../../answers.ts'

interface Props {
  components: readonly Component[]
  chosen: number | undefined
  onChoose(component: number | undefined): void
}

/** Below this share a component has no number in the bar. */
const LEAST_NUMBERED = 0.03

/** The components side by side, as wide as their shares of all predictions. */
export function ShareBar({ components, chosen, onChoose }: Props) {
  return (
    <div class="stack tight">
      <fieldset class="share-bar" aria-label="Light up a component">
        {components.map(({ number, share }) => (
          <button
            key={number}
            type="button"
            aria-pressed={chosen === number}
            aria-label={`Component ${number}: ${formatPercent(share)} of all predictions`}
            title={`Component ${number}: ${formatPercent(share)} of all predictions`}
            style={{ flexGrow: Math.max(share, 0.004) }}
            onClick={() => onChoose(chosen === number ? undefined : number)}
          >
            {share > LEAST_NUMBERED ? number : ''}
          </button>
        ))}
      </fieldset>
      <p class="soft small">
        {chosen === undefined ? (
          'Each component is as wide as its share of all predictions. Choose one to light it up on every page.'
        ) : (
          <>
            Component {chosen} is lit up on every page: {formatPercent(components[chosen - 1]?.share ?? 0)} of
            all predictions are due to it.{' '}
            <button type="button" class="link" onClick={() => onChoose(undefined)}>
              Show all
            </button>
          </>
        )}
      </p>
    </div>
  )
}
