/**
 * Simulated taxi pickups: places of an invented city by the sea, by weekday and hour. A place is one label, its
 * latitude and longitude, so that places are learned as pairs and drawn on a map. Business, night life, station,
 * airport and homes lie at different places and have different hours. Half of the counts are missing.
 */
import { peak, random } from './random.ts'

/** The middle of the city, and the width of the grid of its places, in degrees. */
const [LATITUDE, LONGITUDE] = [43.36, -8.41]
const STEP = 0.005
const weekdays = ['1 Mon', '2 Tue', '3 Wed', '4 Thu', '5 Fri', '6 Sat', '7 Sun']
/** The fraction of counts that are missing. */
const MISSING = 0.5

/** Sources of rides: where they are on the grid, how wide, by weekday from Monday, and by hour. */
const sources: readonly {
  at: readonly [north: number, east: number, width: number]
  week: readonly number[]
  hour(h: number): number
}[] = [
  // Business district: weekdays, evening.
  {
    at: [1, 2, 2],
    week: [1, 1, 1, 1, 1.1, 0.2, 0.1],
    hour: (h) => 46 * peak(h, 18, 2) + 14 * peak(h, 12.5, 1.5),
  },
  // Old town: nights before and at weekends.
  {
    at: [4, -3, 1.8],
    week: [0.15, 0.15, 0.2, 0.4, 1, 1.1, 0.4],
    hour: (h) => 60 * (peak(h, 23, 2) + peak(h, 0, 2)),
  },
  // Railway station: trains of every day.
  {
    at: [-3, 0, 0.8],
    week: [1, 0.9, 0.9, 0.9, 1.2, 0.8, 1.1],
    hour: (h) => 40 * (peak(h, 9, 1.5) + peak(h, 20, 2)),
  },
  // Airport, outside: mornings and late evenings.
  {
    at: [-7, 7, 0.9],
    week: [1, 0.8, 0.8, 0.9, 1.1, 0.8, 1.2],
    hour: (h) => 55 * (peak(h, 7, 1.6) + peak(h, 22, 1.5)),
  },
  // Homes, all around: mornings of weekdays.
  { at: [-1, -2, 5], week: [1, 1, 1, 1, 0.9, 0.25, 0.15], hour: (h) => 16 * peak(h, 7.8, 1.1) },
]

/** Whether a place of the grid is land: the sea is in the north and the north-west. */
const isLand = (north: number, east: number): boolean =>
  north < 6.5 - 0.06 * (east - 1) ** 2 && north + east > -9 && north - east < 9 && north > -9

/** Returns the table as CSV: place (as in “43.360 -8.410”), weekday, hour, pickups. */
export function taxiTable(seed = 3): string {
  const { unit, poisson } = random(seed)
  const lines = ['place,weekday,hour,pickups']
  for (let north = -8; north <= 6; north++)
    for (let east = -8; east <= 8; east++) {
      if (!isLand(north, east)) continue
      const busy = 0.5 + unit()
      const place = `${(LATITUDE + STEP * north).toFixed(3)} ${(LONGITUDE + 1.4 * STEP * east).toFixed(3)}`
      for (const [d, day] of weekdays.entries())
        for (let hour = 0; hour < 24; hour++) {
          const mean = sources.reduce((sum, { at, week, hour: byHour }) => {
            const distance2 = (north - at[0]) ** 2 + (east - at[1]) ** 2
            return sum + Math.exp(-distance2 / (2 * at[2] ** 2)) * week[d] * byHour(hour)
          }, 0.15)
          const pickups = poisson(busy * mean)
          if (unit() >= MISSING) lines.push(`${place},${day},${hour},${pickups}`)
        }
    }
  return `${lines.join('\n')}\n`
}
