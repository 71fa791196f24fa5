/** Charts of the studio without a browser: their tables, zoom, and colours of saved files. */
import { describe, expect, it } from 'vitest'
import { formatDensity } from '../../../packages/figures/src/numbers.ts'
import {
  cutLabel,
  labelStep,
  measureLabels,
} from '../../../packages/studio/src/complete/explorer/axisLabels.ts'
import { hatchLines } from '../../../packages/studio/src/complete/explorer/hatchLines.ts'
import {
  errorOfInterval,
  formatInterval,
} from '../../../packages/studio/src/complete/explorer/shared/typicalError.ts'
import { formatTick } from '../../../packages/studio/src/widgets/chart/chartStyle.ts'
import { fileStem, tableToCsv } from '../../../packages/studio/src/widgets/chart/chartTable.ts'
import { resolveVariables } from '../../../packages/studio/src/widgets/chart/exportChart.ts'
import { dragDomain, zoomIn, zoomOut } from '../../../packages/studio/src/widgets/chart/zoom.ts'

describe('the table of a chart', () => {
  it('is CSV with quoted fields, ISO dates, and empty fields where there is no value', () => {
    const table = {
      columns: ['a,b', 'when', 'x'],
      rows: [
        ['say "hi"', new Date('2024-02-29'), 1.5],
        ['é', new Date('2024-02-29T12:30:00Z'), undefined],
        ['', undefined, Number.NaN],
      ],
    }
    expect(tableToCsv(table)).toBe(
      '"a,b",when,x\n"say ""hi""",2024-02-29,1.5\né,2024-02-29T12:30:00.000Z,\n,,\n',
    )
  })

  it('gives files names without signs that file systems forbid', () => {
    expect(fileStem('Entries per row of week(Date/Time)')).toBe('entries-per-row-of-week-date-time')
    expect(fileStem('???')).toBe('chart')
  })
})

describe('the zoom of a chart', () => {
  it('halves and doubles the domain around its middle, and ends at the whole', () => {
    expect(zoomIn([0, 100])).toEqual([25, 75])
    expect(zoomOut([40, 60], [0, 100])).toEqual([30, 70])
    expect(zoomOut([0, 20], [0, 100])).toEqual([0, 30])
    expect(zoomOut([25, 75], [0, 100])).toBeUndefined()
  })

  it('shows what was dragged over, in either direction, within the axis; a click does not zoom', () => {
    const scale = { domain: [0, 10], range: [40, 140] } as const
    expect(dragDomain(scale, 50, 90)).toEqual([1, 5])
    expect(dragDomain(scale, 90, 50)).toEqual([1, 5])
    expect(dragDomain(scale, 0, 90)).toEqual([0, 5])
    expect(dragDomain(scale, 0, 30)).toBeUndefined()
    expect(dragDomain(scale, 50, 53)).toBeUndefined()
  })
})

it('a saved chart has colours in place of variables of the page', () => {
  const read = (name: string): string => ({ '--ink': '#123456', '--font': '"Segoe UI", Arial' })[name] ?? ''
  expect(resolveVariables('<path fill="var(--ink)" style="font: var(--font)"/>', read)).toBe(
    `<path fill="#123456" style="font: 'Segoe UI', Arial"/>`,
  )
})

it('a density is never rounded to 100% while cells are missing', () => {
  expect(formatDensity(459_046, 460_800)).toBe('99.61%, all but 1,754')
  expect(formatDensity(999_999, 1_000_000)).toBe('99.9999%, all but 1')
  expect(formatDensity(100_836, 610 * 9_724)).toBe('1.7%')
  expect(formatDensity(12, 12)).toBe('all')
  expect(formatDensity(89, 100)).toBe('89%')
})

it('labels of a heat map do not overlap, whatever its width', () => {
  const width = 480 // of one of two slices at 1280 pixels
  for (const extent of [150, width]) {
    const step = labelStep(103, extent)
    expect((extent / 103) * step).toBeGreaterThanOrEqual(12)
    expect((extent / 103) * (step - 1)).toBeLessThan(13)
  }
  expect(labelStep(7, width)).toBe(1)
  // Beside a chart on a phone, labels leave most of the width to the cells.
  const { characters, pixels } = measureLabels(['Washington/Wabash'], 300)
  expect(pixels).toBeLessThan(120)
  expect(cutLabel('Washington/Wabash', characters)).toBe('Washington/Wab…')
})

it('the hatching of missing cells stays within them', () => {
  const lines = hatchLines(50, 20, 6)
  const points = [...lines.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)])
  expect(points.length).toBeGreaterThan(20)
  for (const [x, y] of points) expect(x >= 0 && x <= 50 && y >= 0 && y <= 20).toBe(true)
})

it('ticks of an axis are short numbers, and zero is 0', () => {
  expect([0, 500, 1500, 20_000, 3e6, 0.1].map(formatTick)).toEqual(['0', '500', '1.5k', '20k', '3M', '0.1'])
})

it('an interval has the digits that its width leaves, so that its ends differ', () => {
  expect(formatInterval({ low: 21_990.4, high: 22_050.9 })).toBe('21990.4 to 22050.9')
  expect(formatInterval({ low: 3.2183, high: 5 })).toBe('3.22 to 5')
  expect(errorOfInterval({ low: 0, high: 2 * 1.6449 })).toBeCloseTo(1, 12)
})
