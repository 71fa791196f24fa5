/** The components of a model. */
import { formatPercent } from 'lacuna-figures/numbers'
import { useState } from 'preact/hooks'
import type { Component, ComponentMode, PlaceMap } from '../../answers.ts'
import { ComponentDetail } from './ComponentDetail.tsx'

/** The number of components shown before the user asks for all. */
const AT_FIRST = 9
/** The number of rows per mode in the small cards. */
const FEW_ROWS = 5

interface Props {
  components: readonly Component[]
  places: PlaceMap | undefined
  chosen: number | undefined
  onChoose(component: number | undefined): void
}

/** The chosen component in detail, and all of them as small multiples. */
export function ComponentsCard({ components, places, chosen, onChoose }: Props) {
  const [all, setAll] = useState(false)
  const shown = all ? components : components.slice(0, AT_FIRST)
  const detailed = chosen === undefined ? undefined : components[chosen - 1]
  return (
    <div class="stack">
      {(detailed || places) && <ComponentDetail component={detailed} places={places} />}
      <ol class="components">
        {shown.map((component) => {
          const { number, share, found, modes } = component
          return (
            <li
              key={number}
              class={number === chosen ? 'component lit' : 'component'}
              aria-label={`Component ${number}`}
              aria-current={number === chosen ? 'true' : undefined}
            >
              <h3>
                <span>
                  <button
                    type="button"
                    class="link"
                    aria-pressed={number === chosen}
                    onClick={() => onChoose(number === chosen ? undefined : number)}
                  >
                    Component {number}
                  </button>
                  {found && (
                    <small class={found.in === found.of ? 'soft found' : 'found shaky'}>
                      found in {found.in} of {found.of}
                    </small>
                  )}
                </span>
                <span class="soft number" title="share of all predictions">
                  {formatPercent(share)} <small>of all</small>
                </span>
              </h3>
              {modes.map((mode) => (
                <div key={mode.name} class="component-mode">
                  <h4>{mode.name}</h4>
                  {mode.isOrdered && mode.size > FEW_ROWS && <SmallProfile mode={mode} />}
                  <ul>
                    {mode.strongest.slice(0, FEW_ROWS).map(({ label, weight, lift }) => (
                      <li key={label}>
                        <span class="bar" style={{ width: `${100 * weight}%` }} />
                        <span class="bar-label">{label}</span>
                        <small
                          class="soft number"
                          title="how many times as large a part of this row's predictions as of all"
                        >
                          ×{lift.toFixed(1)}
                        </small>
                      </li>
                    ))}
                  </ul>
                </div>
              ))}
            </li>
          )
        })}
      </ol>
      {components.length > AT_FIRST && (
        <button type="button" class="button" onClick={() => setAll(!all)}>
          {all ? 'Show the strongest only' : `Show all ${components.length}`}
        </button>
      )}
      <p class="soft small">
        Bars are weights in the component, the largest first; ×2 says that the component is twice as large a
        part of the row as of all.
      </p>
    </div>
  )
}

/** A column of a factor as an area chart. */
function SmallProfile({ mode: { profile } }: { mode: ComponentMode }) {
  const step = 100 / profile.length
  const path = profile
    .map(({ value }, i) => `L${i * step} ${24 - 22 * value}L${(i + 1) * step} ${24 - 22 * value}`)
    .join('')
  return (
    <svg class="profile" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M0 24${path}L100 24Z`} />
    </svg>
  )
}
