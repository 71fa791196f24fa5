import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { binnings } from '#lacuna/labels/bins.js'
import {
  calendarOf,
  compileTimeFormat,
  DAY,
  dateText,
  daysOf,
  isoTime,
  likelyFormats,
  timestampText,
  unixTime,
} from '#lacuna/labels/time.js'
import { readRows, textTable } from '#lacuna/tables.js'
import { checkProperty } from '../../../properties.ts'
import { pieces, rejection } from '../pieces.ts'

const iso = (text: string): number => {
  const bytes = new TextEncoder().encode(text)
  return isoTime(bytes, 0, bytes.length)
}

const read = async (text: string, modes: string[], dates?: string[]) =>
  readRows(await textTable([{ name: 't.csv', open: () => pieces(text) }]), { modes, ...(dates && { dates }) })

describe('times as numbers', () => {
  test('times as numbers are those of JavaScript’s calendar, to the microsecond', () => {
    const millis = fc.integer({ min: Date.UTC(0, 0, 1) - 1e13, max: Date.UTC(9999, 11, 31) })
    checkProperty(
      fc.property(millis, fc.nat(999), (ms, us) => {
        const date = new Date(ms)
        const days = Math.floor(ms / 864e5)
        const calendar = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
        expect(calendarOf(days)).toEqual(calendar)
        expect(daysOf(calendar[0], calendar[1], calendar[2])).toBe(days)
        if (calendar[0] < 0) return
        expect(dateText(days)).toBe(date.toISOString().slice(0, 10))
        const time = 1000 * ms + us
        expect(iso(timestampText(time))).toBe(time)
        expect(iso(date.toISOString())).toBe(1000 * ms)
      }),
      { seed: 1, numRuns: 2000 },
    )
  })

  test.each([
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2024-02-29 13:05', '2024-02-29T13:05:00Z'],
    ['2024-02-29T13:05:07.25', '2024-02-29T13:05:07.250Z'],
    ['2024-02-29T13:05:07Z', '2024-02-29T13:05:07Z'],
    ['2024-02-29T13:05:07+02:00', '2024-02-29T11:05:07Z'],
    ['2024-02-29 13:05:07-0530', '2024-02-29T18:35:07Z'],
    ['2024-02-29 13:05:07+02', '2024-02-29T11:05:07Z'],
  ])('the time %s is read by ISO 8601', (text, expected) => {
    expect(iso(text)).toBe(1000 * Date.parse(expected))
  })

  test.each([
    '2023-02-29',
    '1900-02-29',
    '2100-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-04-31',
    '2024-1-1',
    '24-01-01',
    '2024/01/01',
    '2024-01-01 25:00',
    '2024-01-01 10:60',
    '2024-01-01 10:00:60',
    '2024-01-01T',
    '2024-01-01 10',
    '2024-01-01x',
    '2024-01-01 10:00:00.',
    '2024-01-01 10:00+2',
    '2024-01-01 10:00 +02:00',
    '01.02.2024',
    '',
    '-',
    '2024-01-01-01',
  ])('%j is not read as a time of ISO 8601', (text) => {
    expect(iso(text)).toBeNaN()
  })

  test('numbers are Unix seconds, or milliseconds if they are larger than 1e11', () => {
    expect(unixTime(964982703)).toBe(unixTime(964982703000))
    expect(unixTime(1e30)).toBeNaN()
    // Seconds up to 10¹¹, of which those beyond 2⁵³ microseconds are no time, and milliseconds from there on.
    for (const sign of [1, -1]) {
      expect(unixTime(sign * 9e9)).toBe(sign * 9e15)
      expect(unixTime(sign * 5e10)).toBeNaN()
      expect(unixTime(sign * 1.01e11)).toBe(sign * 1.01e14)
    }
  })
})

describe('formats', () => {
  test.each([
    ['%m/%d/%Y %H:%M:%S', '4/1/2014 0:11:00', '2014-04-01T00:11:00Z'],
    ['%d.%m.%y', '31.12.68', '2068-12-31T00:00:00Z'],
    ['%d.%m.%y', '31.12.69', '1969-12-31T00:00:00Z'],
    ['%d %b %Y', '5 Feb 2024', '2024-02-05T00:00:00Z'],
    ['%B %d, %Y %I:%M %p', 'february 5, 2024 12:30 AM', '2024-02-05T00:30:00Z'],
    ['%Y-%m-%d %I:%M %p', '2024-02-05 12:30 pm', '2024-02-05T12:30:00Z'],
    ['%Y%m%d', '20240205', '2024-02-05T00:00:00Z'],
    ['%Y-%j', '2024-366', '2024-12-31T00:00:00Z'],
    ['%a %F %T%z', 'Mon 2024-02-05 10:00:00+0100', '2024-02-05T09:00:00Z'],
    ['%s%%'.replace('%s', '%Y'), '2024%', '2024-01-01T00:00:00Z'],
    ['%-d/%-m/%Y', '1/2/2024', '2024-02-01T00:00:00Z'],
  ])('the format %s reads %s', (format, text, expected) => {
    expect(compileTimeFormat(format)(text)).toBe(1000 * Date.parse(expected))
  })

  test.each([
    ['%m/%d/%Y', '13/01/2024'],
    ['%m/%d/%Y', '02/30/2024'],
    ['%m/%d/%Y', '1/2/24'],
    ['%m/%d/%Y', '1/2/2024 10:00'],
    ['%Y%m%d', '2024115'],
    ['%Y-%j', '2023-366'],
    ['%I:%M %p', '13:00 AM'],
    ['%H:%M', '24:00'],
  ])('the format %s does not read %s', (format, text) => {
    expect(compileTimeFormat(format)(text)).toBeNaN()
  })

  test.each(['%Q', '%m/%m', 'no parts', '%', ''])('%j is refused as a format of times', (format) => {
    expect(() => compileTimeFormat(format)).toThrow(/the format ".*" (has|has no)/)
  })

  test('likely formats are those by which all texts are dates', () => {
    expect(likelyFormats(['01/02/2024', '12/11/2024'])).toEqual(['%m/%d/%Y', '%d/%m/%Y'])
    expect(likelyFormats(['01/02/2024', '13/11/2024'])).toEqual(['%d/%m/%Y'])
    expect(likelyFormats(['4/1/2014 0:11:00'])).toEqual(['%m/%d/%Y %H:%M:%S', '%d/%m/%Y %H:%M:%S'])
    expect(likelyFormats(['tea', '01/02/2024'])).toEqual([])
    expect(likelyFormats(['2024-01-02'])).toEqual([])
  })
})

describe('a column of times', () => {
  const table = 'who,when\nann,01/02/2024\nbo,03/04/2024\n'

  test('a column of times that are not ISO’s is refused with the formats that fit', async () => {
    expect((await rejection(read(table, ['who', 'day(when)']))).message).toBe(
      `t.csv, line 2: "01/02/2024" in when is no time as ISO writes it (2014-04-01), and may be read in more than one way; say how to read it with dates: '%m/%d/%Y' or '%d/%m/%Y', after iso if other rows are as ISO writes them.`,
    )
    const clear = table.replace('03/04', '23/04')
    expect((await rejection(read(clear, ['who', 'day(when)']))).message).toContain(
      `is no time as ISO writes it (2014-04-01); say how to read it with dates: '%d/%m/%Y', after iso if other rows are as ISO writes them.`,
    )
  })

  test('a column of times is read by the given format and by no other', async () => {
    const labels = async (dates: string[]) => (await read(table, ['who', 'day(when)'], dates)).labels?.[1]
    expect(await labels(['%m/%d/%Y'])).toEqual(['2024-01-02', '2024-03-04'])
    expect(await labels(['%d/%m/%Y'])).toEqual(['2024-02-01', '2024-04-03'])
    const mixed = `${table}cy,2024-05-06\n`
    expect((await rejection(read(mixed, ['who', 'day(when)'], ['%m/%d/%Y']))).message).toContain(
      't.csv, line 4: "2024-05-06" in when is no time of the form that dates says',
    )
    expect((await read(mixed, ['who', 'day(when)'], ['%m/%d/%Y', 'iso'])).labels?.[1]).toHaveLength(3)
  })

  test('a mode stores the format of its times, so that a model reads other tables alike', async () => {
    const { modes } = await read(table, ['who', 'day(when) AS day'], ['%m/%d/%Y'])
    expect(modes?.[1]).toEqual({
      name: 'day',
      type: 'DATE',
      from: { column: 'when', binning: 'day', dates: ['%m/%d/%Y'] },
    })
  })

  test.each([
    ['20240105', '%Y%m%d', 'dates'],
    ['2014', '%Y', 'years'],
  ])('a column of numbers like %s is refused as Unix seconds', async (number, format, what) => {
    const text = `who,when\nann,${number}\nbo,${number}\n`
    const { message } = await rejection(read(text, ['who', 'month(when)']))
    expect(message).toContain(
      `the numbers in when look like ${what} (${number}), but would be read as Unix seconds`,
    )
    expect(message).toContain(format)
    expect((await read(text, ['who', 'year(when)'], [format])).labels?.[1]).toEqual([number.slice(0, 4)])
    // Among others it may be one.
    expect((await read(`${text}cy,964982703\n`, ['who', 'year(when)'])).labels?.[1]).toEqual(['1970', '2000'])
  })

  test('marks in a column of times count as missing; any other text is an error with its line', async () => {
    const marked = 'who,when\nann,2024-01-01\nbo,N/A\ncy,-\ndi,\n'
    expect((await read(marked, ['who', 'day(when)'])).dims).toEqual([1, 1])
    expect((await rejection(read(`${marked}eve,soon\n`, ['who', 'day(when)']))).message).toContain(
      't.csv, line 6: "soon" in when is no time; times are Unix seconds or text like 2014-04-01 12:30:00',
    )
  })
})

test('the bins of a time are those of JavaScript’s calendar', () => {
  const time = fc.integer({ min: -3e9, max: 6e9 }).map((seconds) => 1e6 * seconds)
  checkProperty(
    fc.property(time, (t) => {
      const date = new Date(t / 1000)
      expect(binnings.year.bin(t, 0)).toBe(date.getUTCFullYear())
      expect(binnings.month.label?.(binnings.month.bin(t, 0))).toBe(date.toISOString().slice(0, 7))
      expect(binnings.day.bin(t, 0)).toBe(Math.floor(t / DAY))
      expect(binnings.hour.bin(t, 0)).toBe(date.getUTCHours())
      expect(binnings.weekday.bin(t, 0)).toBe(date.getUTCDay() || 7)
      const monday = binnings.week.bin(t, 0)
      expect(new Date(864e5 * monday).getUTCDay()).toBe(1)
      expect(t / DAY - monday).toBeGreaterThanOrEqual(0)
      expect(t / DAY - monday).toBeLessThan(7)
      const weeks = binnings.weeks.bin(t, -3e9)
      expect(Math.floor((t / 1e6 + 3e9) / 604_800)).toBe(weeks - 1)
    }),
    { seed: 1, numRuns: 500 },
  )
})
