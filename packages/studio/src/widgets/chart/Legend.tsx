/** The legend of a chart. */
import type { LegendEntry } from './chartStyle.ts'

/** Line samples with the names of the series. */
export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <p class="legend">
      {entries.map(({ text, colour, dash }) => (
        <span key={text}>
          <svg class="legend-line" viewBox="0 0 30 6" aria-hidden="true">
            <path d="M0 3H30" style={{ stroke: colour }} stroke-dasharray={dash} />
          </svg>
          {text}
        </span>
      ))}
    </p>
  )
}
