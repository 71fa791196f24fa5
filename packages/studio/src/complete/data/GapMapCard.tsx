/** A map of how cells are missing, over two modes that the user chooses. */
import * as Plot from '@observablehq/plot'
import { formatPercent } from 'lacuna-figures/numbers'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Remote } from '../../run/remote.ts'
import { useTheme } from '../../theme.ts'
import type { GapAxis, GapMap, ModeSummary } from '../protocol.ts'
import type { CompleteFunctions } from '../worker/worker.ts'

interface Props {
  /** The number of the data. */
  data: number
  modes: readonly ModeSummary[]
  /** Whether the map is shown, or only its head. */
  isOpen: boolean
  call: Remote<CompleteFunctions>
}

/** The map, and selects of its modes if there are more than two. */
export function GapMapCard({ data, modes, isOpen, call }: Props) {
  const [chosen, setChosen] = useState<[number, number]>([0, 1])
  const [map, setMap] = useState<GapMap>()
  const [rows, columns] = chosen.every((mode) => mode < modes.length) ? chosen : [0, 1]
  useEffect(() => {
    let isWanted = true
    // The data may be gone already when another file was opened: then there is no map of it.
    void call.gaps(data, rows, columns).then(
      (next) => isWanted && setMap(next),
      () => {},
    )
    return () => {
      isWanted = false
    }
  }, [data, rows, columns])
  if (!map) return null
  const select = (axis: 0 | 1) => (
    <select
      aria-label={axis === 0 ? 'Mode downwards' : 'Mode to the right'}
      value={[rows, columns][axis]}
      onChange={({ currentTarget }) => {
        const mode = Number(currentTarget.value)
        const other = [rows, columns][1 - axis]
        const next = mode === other ? [rows, columns][axis] : other
        setChosen(axis === 0 ? [mode, next] : [next, mode])
      }}
    >
      {modes.map(({ name }, mode) => (
        <option key={name} value={mode}>
          {name}
        </option>
      ))}
    </select>
  )
  return (
    <details class="card gaps" open={isOpen} aria-label="What is missing">
      <summary>
        <h2>What is missing</h2>
      </summary>
      {modes.length > 2 && (
        <div class="gap-modes">
          {select(0)} × {select(1)}
        </div>
      )}
      <GapCanvas map={map} names={modes.map(({ name }) => name)} />
    </details>
  )
}

/** Draws the map, with the cell under the pointer in words. */
function GapCanvas({ map, names }: { map: GapMap; names: readonly string[] }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [pointed, setPointed] = useState<{ row: number; column: number }>()
  const theme = useTheme()
  const { rows, columns, fractions, total } = map
  const [height, width] = [rows.bins.length, columns.bins.length]
  const most = fractions.reduce((max, x) => Math.max(max, x), 0)
  useLayoutEffect(() => {
    const context = canvas.current!.getContext('2d')!
    const scheme = theme === 'dark' ? 'viridis' : 'ylgnbu'
    const colour = Plot.scale({ color: { type: 'sqrt', scheme, domain: [0, most || 1], clamp: true } })
    context.clearRect(0, 0, width, height)
    fractions.forEach((fraction, at) => {
      if (fraction === 0) return
      context.fillStyle = colour.apply(fraction)
      context.fillRect(at % width, Math.floor(at / width), 1, 1)
    })
  }, [map, theme])
  const point = ({
    offsetX,
    offsetY,
    currentTarget,
  }: PointerEvent & { currentTarget: HTMLCanvasElement }): void =>
    setPointed({
      row: Math.min(height - 1, Math.max(0, Math.floor((offsetY / currentTarget.clientHeight) * height))),
      column: Math.min(width - 1, Math.max(0, Math.floor((offsetX / currentTarget.clientWidth) * width))),
    })
  const title = `Observed cells by ${names[rows.mode]} and ${names[columns.mode]}`
  return (
    <figure class="gap-map">
      <canvas
        ref={canvas}
        width={width}
        height={height}
        role="img"
        aria-label={`${title}: ${formatPercent(total)} of all, between ${formatPercent(lowest(fractions))} and ${formatPercent(most)} of a field`}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(undefined)}
      />
      <figcaption class="soft small">
        {describeAxis('downwards', rows, names)}, {describeAxis('to the right', columns, names)}; hatched
        where nothing was observed, strongest colour at {formatPercent(most)}.
      </figcaption>
      <p class="readout small number" aria-live="polite">
        {pointed &&
          `${describeBin(rows, pointed.row)} × ${describeBin(columns, pointed.column)}: ${formatPercent(fractions[pointed.row * width + pointed.column])} observed`}
      </p>
    </figure>
  )
}

/** The smallest fraction. */
const lowest = (fractions: Float32Array): number => fractions.reduce((min, x) => Math.min(min, x), 1)

/** An axis in words. */
const describeAxis = (direction: string, { mode, isSorted }: GapAxis, names: readonly string[]): string =>
  `${names[mode]} ${direction}${isSorted ? ', fullest first' : ''}`

/** A bin in words: its row, or the first and last of its rows. */
function describeBin({ bins, isSorted }: GapAxis, bin: number): string {
  const { size, first, last } = bins[bin]
  if (size === 1) return first
  return isSorted ? `${first} and ${size - 1} more` : `${first} … ${last}`
}
