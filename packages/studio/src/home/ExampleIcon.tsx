/** Small drawings on the cards of the examples. */
import type { ComponentChild } from 'preact'
import type { Example } from '../examples/index.ts'

/** A grid of cells, some of which are missing. @param cells rows of opacities from 0 to 9; a space is a gap */
function grid(cells: readonly string[]): ComponentChild {
  return cells.flatMap((row, y) =>
    [...row].map((cell, x) =>
      cell === ' ' ? (
        <rect key={`${x} ${y}`} x={x * 8 + 1} y={y * 8 + 1} width="6" height="6" rx="1.2" class="gap" />
      ) : (
        <rect
          key={`${x} ${y}`}
          x={x * 8 + 1}
          y={y * 8 + 1}
          width="6"
          height="6"
          rx="1.2"
          opacity={0.15 + 0.094 * Number(cell)}
        />
      ),
    ),
  )
}

/** The drawings, 64 × 40. */
const drawings: Record<Example['id'], ComponentChild> = {
  facade: grid(['29 4 92 ', ' 9249 29', '2 4 92 9', '9 9292 4', ' 29 4 92']),
  print: (
    <>
      <path d="M2 32 16 14l10 10 12-18 24 26z" opacity="0.45" />
      <rect x="2" y="32" width="60" height="6" opacity="0.25" />
      <path d="M10 2c6 14-4 20 4 36M34 2c-4 10 6 18 0 36M54 4c-6 8 4 20-2 34" class="line" />
    </>
  ),
  metro: grid(['13952173', '      73', '13952173', '24   284', '13952173']),
  films: (
    <path d="m13 5 3.4 7 7.6 1-5.5 5.4 1.3 7.6-6.8-3.6L6.2 26l1.3-7.6L2 13l7.6-1zM37 5l3.4 7 7.6 1-5.5 5.4 1.3 7.6-6.8-3.6-6.8 3.6 1.3-7.6L26 13l7.6-1zM56 10l2 4.200 4.600.6-3.300 3.200.8 4.600-4.100-2.200-4.100 2.200.8-4.600-3.300-3.200 4.600-.6z" />
  ),
  winds: (
    <path
      d="M3 12h34c7 0 7-9 1-9-3 0-5 2-5 4M3 20h49c9 0 9-11 1-11-4 0-6 3-6 5M3 28h30c8 0 8 10 1 10-3 0-5-2-5-4"
      class="line"
    />
  ),
  spectra: (
    <path
      d="M3 30c14-2 20-14 28-14s12 8 18 8 8-4 12-6M3 36c14-1 20-10 28-10s12 6 18 6 8-2 12-4M3 24C17 20 23 5 31 5s12 10 18 10 8-6 12-9"
      class="line"
    />
  ),
}

/** The drawing of an example. */
export function ExampleIcon({ name }: { name: Example['id'] }) {
  return (
    <svg class="example-icon" viewBox="0 0 64 40" aria-hidden="true">
      {drawings[name]}
    </svg>
  )
}
