import { describe, expect, it } from 'vitest'
import { dateWriter } from '#lacuna/labels/index.js'

/** Days since 1970 of a date in ISO 8601. */
const daysOf = (date: string): number => Date.parse(date) / 86_400_000

describe('dates in the form of a table', () => {
  it.each([
    ['ISO 8601', undefined, ['2024-03-01', '2023-12-31'], '2024-05-06'],
    ['a format with leading zeros', ['%d.%m.%Y'], ['01.03.2024', '31.12.2023'], '06.05.2024'],
    ['a format without them', ['%m/%d/%Y'], ['3/1/2024', '12/31/2023'], '5/6/2024'],
    ['names of months', ['%d %b %Y'], ['01 Mar 2024', '31 Dec 2023'], '06 May 2024'],
    ['the second of two formats', ['%d.%m.%Y', '%Y/%m/%d'], ['2024/03/01'], '2024/05/06'],
  ])('are written by %s', (_, formats, texts, written) => {
    expect(dateWriter(formats, texts)?.(daysOf('2024-05-06'))).toBe(written)
  })

  it.each([
    ['times of day', undefined, ['2024-03-01 10:00']],
    ['two forms', ['%m/%d/%Y'], ['3/1/2024', '03/01/2024']],
    ['times of day by a format', ['%d.%m.%Y %H:%M'], ['01.03.2024 10:00']],
    ['no texts', undefined, []],
  ])('are not written where the table has %s', (_, formats, texts) => {
    expect(dateWriter(formats, texts)).toBeUndefined()
  })
})
