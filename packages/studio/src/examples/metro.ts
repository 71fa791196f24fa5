/**
 * A simulated metro: passengers who enter each station, by day and hour. Homes fill trains in the morning,
 * offices in the evening, leisure at weekends and at night. On a quarter of all station-days the counter failed.
 */
import { peak, random } from './random.ts'

/** Stations by the quarter that they serve. */
const quarters = {
  homes: [
    'Ash Grove',
    'Beech Road',
    'Cedar Park',
    'Dell Lane',
    'Elmfield',
    'Fairview',
    'Gorse Hill',
    'Heathway',
    'Ivy Bank',
    'Juniper',
    'Kingsmead',
    'Larkfield',
    'Millbrook',
    'Northend',
  ],
  offices: [
    'Bank',
    'Central',
    'City Hall',
    'Exchange',
    'Law Courts',
    'Parliament',
    'Stock Street',
    'Tower',
    'Trade Fair',
  ],
  campus: ['Library', 'Medical School', 'Polytechnic', 'University'],
  leisure: [
    'Arena',
    'Botanic Garden',
    'Harbour',
    'Market',
    'Museum',
    'Old Town',
    'Opera',
    'Riverside',
    'Zoo',
  ],
} as const

/** Groups of passengers: by weekday from Monday, by hour, and the quarters they enter at. */
const groups: readonly {
  week: readonly number[]
  hour(h: number): number
  at: Partial<Record<keyof typeof quarters, number>>
}[] = [
  {
    week: [1, 1, 1, 1, 0.95, 0.15, 0.08],
    hour: (h) => 900 * peak(h, 7.8, 1),
    at: { homes: 1, campus: 0.15 },
  },
  {
    week: [1, 1, 1, 1, 0.9, 0.18, 0.1],
    hour: (h) => 1100 * peak(h, 17.6, 1.3),
    at: { offices: 1, campus: 0.3, leisure: 0.1 },
  },
  { week: [1, 1, 1, 0.95, 0.7, 0.1, 0.05], hour: (h) => 420 * peak(h, 14, 2.6), at: { campus: 1 } },
  {
    week: [0.15, 0.15, 0.18, 0.25, 0.5, 1, 0.85],
    hour: (h) => 520 * peak(h, 15.5, 3),
    at: { leisure: 1, homes: 0.25 },
  },
  {
    week: [0.1, 0.1, 0.15, 0.3, 1, 1, 0.2],
    hour: (h) => 460 * peak(h, 22.5, 1.4),
    at: { leisure: 1, offices: 0.2 },
  },
  {
    week: [1, 1, 1, 1, 1, 0.9, 0.8],
    hour: (h) => 130 * peak(h, 12.5, 5),
    at: { homes: 1, offices: 1, leisure: 1 },
  },
]

/** The days: four weeks from a Monday, the first of the month. */
const DAYS = 28
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
/** The fraction of station-days without counts. */
const FAILED = 0.25

/** Returns the table as CSV: station, day (as in “01 Mon”), hour, passengers. */
export function metroTable(seed = 11): string {
  const { unit, normal, poisson } = random(seed)
  const weather = Array.from({ length: DAYS }, () => Math.exp(0.12 * normal()))
  const lines = ['station,day,hour,passengers']
  for (const [quarter, stations] of Object.entries(quarters))
    for (const station of stations) {
      const size = 0.4 + 1.2 * unit()
      for (let d = 0; d < DAYS; d++) {
        if (unit() < FAILED) continue
        const day = `${String(d + 1).padStart(2, '0')} ${weekdays[d % 7]}`
        for (let hour = 5; hour < 24; hour++) {
          const mean = groups.reduce(
            (sum, group) =>
              sum + group.week[d % 7] * group.hour(hour) * (group.at[quarter as keyof typeof quarters] ?? 0),
            4,
          )
          lines.push(`${station},${day},${hour},${poisson(size * weather[d] * mean)}`)
        }
      }
    }
  return `${lines.join('\n')}\n`
}
