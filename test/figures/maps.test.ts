/** Maps of components: places learned as pairs, as labels, and apart. */
import { describeComponents } from 'lacuna-figures/describe'
import { cellsOfPoints, gridOfPoints } from 'lacuna-figures/places'
import { componentsPage } from 'lacuna-figures/report'
import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { CpModel, modeKinds } from '#lacuna/model/index.js'

const LATITUDES = ['40.71', '40.72', '40.73', '40.74', '40.75', '40.76']
const LONGITUDES = ['-74.02', '-74.01', '-74', '-73.99', '-73.98']
const PAIRS = LATITUDES.flatMap((lat) => LONGITUDES.map((lon) => ({ lat, lon })))

/** Two components: mornings at the diagonal of the grid, evenings along its second row of latitudes. */
const isDiagonal = (pair: number): boolean => Math.floor(pair / 5) === pair % 5
const isSecondRow = (pair: number): boolean => Math.floor(pair / 5) === 1
const places = Float32Array.from(
  PAIRS.flatMap((_, pair) => [isDiagonal(pair) ? 3 : 0, isSecondRow(pair) ? 2 : 0]),
)
const hours = Float32Array.of(2, 0.1, 2, 0.1, 0.1, 1, 0.1, 1)
/** Where nothing was observed: the last row of latitudes, which has the mean of the others. */
const NEVER = PAIRS.flatMap(({ lat }, pair) => (lat === '40.76' ? [pair] : []))
for (const pair of NEVER) places.set([9, 9], 2 * pair)

const merged = new CpModel({
  dims: [4, 6, 5],
  rank: 2,
  factors: [hours, places],
  reshaping: { mergeModes: [[1, 2]] },
  modes: [{ name: 'hour' }, { name: 'round(Lat, 2)' }, { name: 'round(Lon, 2)' }],
  labels: [['8', '9', '18', '19'], LATITUDES, LONGITUDES],
  unobserved: [new Uint32Array(0), Uint32Array.from(NEVER)],
})

/** The HTML page of a model, and the cells of the map of its component, as `column row`. */
function drawnCells(model: CpModel, component: number, layer: string): string[] {
  const { document } = parseHTML('<html></html>') as unknown as { document: Document }
  const description = describeComponents(model, (mode, row) => model.label(mode, row), { strongest: 3 })
  const page = componentsPage(model, description, { title: 't', document })
  const card = page.split('<section').find((part) => part.includes(`id="c${component}"`))!
  const map = /<svg class="map".*?<\/svg>/s.exec(card)?.[0] ?? ''
  return [...map.matchAll(/<path class="([\w-]+)"[^>]* d="([^"]*)"/g)]
    .filter(([, name]) => name === layer)
    .flatMap(([, , path]) => [...path.matchAll(/M(\d+) (\d+)/g)].map(([, x, y]) => `${x} ${y}`))
    .sort()
}

describe('a map of a component', () => {
  it('draws merged places where they are, over the outline of all observed places', () => {
    const [, place] = modeKinds(merged)
    expect(place).toMatchObject({ kind: 'named', place: 'point' })
    expect(place.points!.latitudes[7]).toBe(40.72)
    expect(place.points!.longitudes[7]).toBe(-74)
    // A margin of one cell; north is above: 40.75 is row 1, 40.71 is row 5.
    const diagonal = [0, 1, 2, 3, 4].map((n) => `${n + 1} ${5 - n}`).sort()
    const secondRow = [1, 2, 3, 4, 5].map((x) => `${x} 4`).sort()
    const [first] = merged.components()
    expect(drawnCells(merged, first.column === 0 ? 1 : 2, 'own-cell')).toEqual(diagonal)
    expect(drawnCells(merged, first.column === 0 ? 2 : 1, 'own-cell')).toEqual(secondRow)
    expect(drawnCells(merged, 1, 'usual-cell')).toEqual([...new Set([...diagonal, ...secondRow])].sort())
  })

  it('draws a mode whose labels are pairs of degrees in the same way', () => {
    const labelled = new CpModel({
      dims: [4, 30],
      rank: 2,
      factors: [hours, places],
      modes: [{ name: 'hour' }, { name: 'place' }],
      labels: [['8', '9', '18', '19'], PAIRS.map(({ lat, lon }) => `${lat}, ${lon}`)],
      unobserved: [new Uint32Array(0), Uint32Array.from(NEVER)],
    })
    expect(modeKinds(labelled)[1].place).toBe('point')
    expect(drawnCells(labelled, 1, 'own-cell')).toEqual(drawnCells(merged, 1, 'own-cell'))
    const described = describeComponents(labelled, (mode, row) => labelled.label(mode, row), { strongest: 3 })
    expect(described.components[0].sentence).toContain('around 40.')
  })

  it('takes no labels for pairs of degrees that are not', () => {
    for (const labels of [
      ['1, 2.5', '95.1, 7.2', '3, 4.5', '5, 6.5', '6, 7.5'], // no latitude is above 90
      ['1.5, 2.5', 'x', '3, 4.5', '5, 6.5', '6, 7.5'],
    ])
      expect(
        modeKinds(
          new CpModel({
            dims: [2, 5],
            rank: 1,
            factors: [new Float32Array(2), new Float32Array(5)],
            labels: [undefined, labels],
          }),
        )[1].place,
      ).toBeUndefined()
  })

  it('has the cells of the rounding, several together where they would be too many', () => {
    const latitudes = Float64Array.from({ length: 400 }, (_, n) => Number((50 + 0.005 * n).toFixed(3)))
    const points = { latitudes, longitudes: latitudes.map((x) => x - 40) }
    const grid = gridOfPoints(points, new Float64Array(400).fill(1))
    expect(grid.rows).toBeLessThanOrEqual(144)
    expect((grid.north - grid.south) / grid.rows / 0.005).toBeCloseTo(3, 6)
    const cells = cellsOfPoints(points, grid)
    expect(Math.min(...cells)).toBeGreaterThanOrEqual(0)
    // Every cell of the diagonal holds three points, but for the first and the last.
    const counts = new Map<number, number>()
    for (const cell of cells) counts.set(cell, (counts.get(cell) ?? 0) + 1)
    expect([...counts.values()].filter((count) => count !== 3).length).toBeLessThanOrEqual(2)
  })

  it('covers nearly all entries, not the few that are far away', () => {
    const latitudes = Float64Array.from({ length: 1001 }, (_, n) => (n === 1000 ? 60 : 40 + (n % 10) / 100))
    const points = { latitudes, longitudes: latitudes.map((x) => x - 100) }
    const { north, south } = gridOfPoints(points, new Float64Array(1001).fill(1))
    expect(south).toBeGreaterThan(39.9)
    expect(north).toBeLessThan(40.2)
  })
})
