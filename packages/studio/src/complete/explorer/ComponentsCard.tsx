/** The components of a model. */

import { formatPercent } from 'lacuna-figures/numbers'
import { useState } from 'preact/hooks'
import type { Component } from '../protocol.ts'

/** The number of components shown before the user asks for all. */
const AT_FIRST = 9

/** The components as small multiples: for each mode the profile over its rows, and the strongest rows. */
export function ComponentsCard({ components }: { components: readonly Component[] }) {
  const [all, setAll] = useState(false)
  const shown = all ? components : components.slice(0, AT_FIRST)
  return (
    <div class="stack">
      <ol class="components">
        {shown.map((component) => (
          <li key={component.number} class="component" aria-label={`Component ${component.number}`}>
            <h3>
              <span>
                Component {component.number}
                {component.found && (
                  <small class={component.found.in === component.found.of ? 'soft found' : 'found shaky'}>
                    found in {component.found.in} of {component.found.of}
                  </small>
                )}
              </span>
              <span class="soft number">{formatPercent(component.share)}</span>
            </h3>
            {component.modes.map(({ name, size, strongest, profile }) => (
              <div key={name} class="component-mode">
                <h4>{name}</h4>
                {size > strongest.length && <Profile values={profile} />}
                <ul>
                  {strongest.map(({ label, weight, lift }) => (
                    <li key={label}>
                      <span class="bar" style={{ width: `${100 * weight}%` }} />
                      <span class="bar-label">{label}</span>
                      <small class="soft number" title="times its usual share">
                        ×{lift.toFixed(1)}
                      </small>
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </li>
        ))}
      </ol>
      {components.length > AT_FIRST && (
        <button type="button" class="button" onClick={() => setAll(!all)}>
          {all ? 'Show the strongest only' : `Show all ${components.length}`}
        </button>
      )}
    </div>
  )
}

/** A column of a factor as an area chart. */
function Profile({ values }: { values: readonly number[] }) {
  const step = 100 / values.length
  const path = values
    .map((value, i) => `L${i * step} ${24 - 22 * value}L${(i + 1) * step} ${24 - 22 * value}`)
    .join('')
  return (
    <svg class="profile" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <path d={`M0 24${path}L100 24Z`} />
    </svg>
  )
}
