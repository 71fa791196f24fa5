/** A map of how cells are missing, over two modes that the user chooses. */
import * as Plot from '@observablehq/plot'
import { formatPercent } from 'lacuna-figures/numbers'
import { useEffect, useState } from 'preact/hooks'
import type { Remote } from '../../run/remote.ts'
import { useTheme } from '../../theme.ts'
import { Chart, chartStyle, tipStyle } from '../../widgets/index.ts'
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
      {modes.length > 2 && map.total < 1 && (
        <div class="gap-modes">
          {select(0)} × {select(1)}
        </div>
      )}
      {map.total === 1 ? (
        <p>Nothing: every cell was observed.</p>
      ) : (
        <GapChart map={map} names={modes.map(({ name }) => name)} />
      )}
    </details>
  )
}

/** The chart of the map; the field under the pointer is described in words. */
function GapChart({ map, names }: { map: GapMap; names: readonly string[] }) {
  const theme = useTheme()
  const { rows, columns, fractions, total } = map
  const [height, width] = [rows.bins.length, columns.bins.length]
  const least = lowest(fractions)
  const most = fractions.reduce((max, x) => Math.max(max, x), 0)
  // Where nearly all is observed, colours begin at the emptiest field: its gaps would not be seen otherwise.
  const isDense = least > DENSE && least < most
  const draw = (available: number): Element =>
    Plot.plot({
      ...{ width: available, height: mapHeight(available), margin: 0, style: chartStyle },
      x: { domain: [0, width], axis: null },
      y: { domain: [height, 0], axis: null },
      color: {
        type: isDense ? 'linear' : 'sqrt',
        scheme: theme === 'dark' ? 'viridis' : 'ylgnbu',
        domain: [isDense ? least : 0, most || 1],
        clamp: true,
      },
      marks: [
        Plot.raster(fractions, {
          ...{ width, height, x1: 0, x2: width, y1: 0, y2: height },
          fill: (fraction: number) => (fraction === 0 ? Number.NaN : fraction),
          imageRendering: 'pixelated',
        }),
        Plot.tip(
          fractions,
          Plot.pointer({
            ...tipStyle,
            maxRadius: Number.POSITIVE_INFINITY, // the nearest middle is that of the field under the pointer
            x: (_: number, field: number) => (field % width) + 0.5,
            y: (_: number, field: number) => Math.floor(field / width) + 0.5,
            title: (fraction: number, field: number) =>
              [
                `${names[rows.mode]} ${describeBin(rows, Math.floor(field / width))}`,
                `${names[columns.mode]} ${describeBin(columns, field % width)}`,
                `${formatPercent(fraction)} observed`,
              ].join('\n'),
          }),
        ),
      ],
    })
  const title = `Observed cells by ${names[rows.mode]} and ${names[columns.mode]}`
  return (
    <figure class="gap-map">
      <Chart
        label={`${title}: ${formatPercent(total)} of all, between ${formatPercent(least)} and ${formatPercent(most)} of a field`}
        draw={draw}
        inputs={[map, theme]}
        table={() => ({
          columns: [names[rows.mode], names[columns.mode], 'observed'],
          rows: Array.from(fractions, (fraction, field) => [
            describeBin(rows, Math.floor(field / width)),
            describeBin(columns, field % width),
            fraction,
          ]),
        })}
      />
      <figcaption class="soft small">
        {describeAxis('downwards', rows, names)}, {describeAxis('to the right', columns, names)};{' '}
        {isDense ? `faintest colour at ${formatPercent(least)}` : 'hatched where nothing was observed'},
        strongest at {formatPercent(most)}.
      </figcaption>
    </figure>
  )
}

/** The height of a map of this width, in pixels. */
const mapHeight = (width: number): number => Math.min(300, Math.max(140, Math.round(width / 3)))

/** Colours begin at the emptiest field if more than this fraction of it is observed. */
const DENSE = 0.5

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
