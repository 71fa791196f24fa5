/**
 * The sample table of the Complete view: bicycle trips from the stations of a made-up town, by weekday and
 * hour. Commuters leave the homes in the morning and the offices in the evening, students ride through the
 * day, and at weekends everybody is out by the water. Two of three counts are missing.
 */
import { draw, stream, unit } from 'lacuna/internal'

const weekdays = ['1 Mon', '2 Tue', '3 Wed', '4 Thu', '5 Fri', '6 Sat', '7 Sun']
const stations: Record<string, readonly string[]> = {
  homes: [
    'Alder Lane',
    'Birch Row',
    'Chapel Hill',
    'Dovecote',
    'Elm Park',
    'Fern Street',
    'Garden Close',
    'Hazel Way',
  ],
  offices: ['Central Station', 'Exchange', 'Guildhall', 'Justice Court', 'Market Hall', 'Mint Square'],
  campus: ['Library', 'Physics', 'Student Union', 'Sports Hall'],
  water: ['Boat House', 'Harbour', 'Lido', 'Lighthouse', 'Lock Gate', 'Old Mill'],
}

/**
 * Returns a function from the hour to the number of trips: a sum of Gaussian peaks, each with its hour, width
 * and height.
 */
const peaks =
  (...at: readonly [hour: number, width: number, height: number][]) =>
  (hour: number): number =>
    at.reduce((sum, [peak, width, height]) => sum + height * Math.exp(-(((hour - peak) / width) ** 2)), 0)

/** Groups of riders: the weight of each weekday, the trips by hour, and the weight of each quarter. */
const habits = [
  { week: [1, 1, 1, 1, 0.9, 0.15, 0.08], hour: peaks([8, 1.3, 44]), at: { homes: 1, water: 0.12 } },
  { week: [1, 1, 1, 1, 1.1, 0.2, 0.1], hour: peaks([17.5, 1.7, 40]), at: { offices: 1, campus: 0.25 } },
  {
    week: [1, 1, 1, 0.9, 0.6, 0.05, 0.03],
    hour: peaks([10, 1.5, 20], [14, 2.2, 26]),
    at: { campus: 1, offices: 0.1 },
  },
  {
    week: [0.1, 0.1, 0.12, 0.15, 0.4, 1, 0.95],
    hour: peaks([14, 3.2, 34], [20, 2.5, 10]),
    at: { water: 1, homes: 0.2 },
  },
] as const

/** Returns the table as a CSV file; it is the same every time. */
export function sampleTable(): File {
  const key = stream(7, 92)
  const lines = ['weekday,hour,station,trips']
  let n = 0
  for (const [d, day] of weekdays.entries())
    for (let hour = 5; hour < 24; hour++)
      for (const [quarter, names] of Object.entries(stations))
        for (const [s, name] of names.entries()) {
          const size = 0.6 + 0.8 * unit(draw(key, 1_000_000 + 31 * s + quarter.length))
          const trips = habits.reduce(
            (sum, habit) =>
              sum +
              habit.week[d] * habit.hour(hour) * size * ((habit.at as Record<string, number>)[quarter] ?? 0),
            0.6,
          )
          const noise = 1 + 0.35 * (unit(draw(key, 2 * n)) + unit(draw(key, 3_000_000 + n)) - 1)
          if (unit(draw(key, 2 * n + 1)) < 1 / 3)
            lines.push(`${day},${hour},${name},${Math.round(trips * noise)}`)
          n++
        }
  return new File([`${lines.join('\n')}\n`], 'bicycle-trips.csv', { type: 'text/csv' })
}
