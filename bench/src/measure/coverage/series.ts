/**
 * Synthetic series: 30 sensors × 4 slots × 119 days. Sensors of a kind share a level that follows that of the day
 * before, so that all values of a day err together, and a rhythm of the week.
 */
import type { SparseTensor } from 'lacuna'
import { stream } from 'lacuna/internal'
import { normal, numbers, poisson } from '../best/retail.ts'

/** Sizes of the tensor, and the number of kinds of sensors. */
const [SENSORS, SLOTS, DAYS, KINDS] = [30, 4, 119, 3]

/** How values scatter around their mean. */
export type SeriesNoise = 'even' | 'proportional' | 'counts'

/** Draws all cells. @param seed of everything: means and noise */
export function drawSeries(noise: SeriesNoise, seed: number): SparseTensor {
  const random = numbers(stream(seed, 0x5e71))
  const vector = (length: number, next: () => number): number[] => Array.from({ length }, next)
  const levels = vector(KINDS, () => 0).map(() => {
    let level = 0
    return vector(DAYS, () => {
      level = 0.7 * level + 0.15 * normal(random)
      return Math.exp(level)
    })
  })
  const weeks = vector(KINDS, () => 0).map(() => vector(7, () => 0.5 + random()))
  const slots = vector(KINDS, () => 0).map(() => vector(SLOTS, () => 0.5 + random()))
  const size = vector(SENSORS, () => 2 + 10 * random())
  const cells = SENSORS * SLOTS * DAYS
  const indices = [0, 1, 2].map(() => new Uint32Array(cells))
  const values = new Float32Array(cells)
  for (let cell = 0; cell < cells; cell++) {
    const [sensor, slot, day] = [
      Math.floor(cell / (SLOTS * DAYS)),
      Math.floor(cell / DAYS) % SLOTS,
      cell % DAYS,
    ]
    const kind = sensor % KINDS
    const mean = size[sensor] * slots[kind][slot] * weeks[kind][day % 7] * levels[kind][day]
    indices[0][cell] = sensor
    indices[1][cell] = slot
    indices[2][cell] = day
    if (noise === 'counts') values[cell] = poisson(mean, random)
    else values[cell] = Math.max(0, mean + (noise === 'even' ? 1 : 0.25 * mean) * normal(random))
  }
  return { dims: [SENSORS, SLOTS, DAYS], indices, values }
}
