import { expect, it } from 'vitest'
import { numberFormOf, writeInForm } from '#lacuna/io/table/index.js'

const written = (texts: string[], y: number, style = {}): string | null =>
  writeInForm(y, numberFormOf(texts, style))

it.each([
  ['as many decimals as the column has', ['18.3', '17.9', '20.1'], 19.8472, '19.8'],
  ['with zeros at the end if all numbers have them', ['18.30', '17.90'], 20, '20.00'],
  ['without zeros if some have none', ['18.3', '17'], 20, '20'],
  ['two decimals for ratings of whole stars', ['1', '5', '3', '4'], 3.7182, '3.72'],
  ['none for counts of some thousands', ['1250', '3100', '2800'], 2213.4, '2213'],
  ['one for counts of some dozens', ['12', '31', '28'], 22.134, '22.1'],
  ['no more than a float32 has', ['0.123456789012', '0.2'], 0.15, '0.15'],
  ['no minus before zero', ['18.3', '0.0'], -0.01, '0.0'],
  ['full digits far from 1', ['1.25e-9', '3e-9'], 2e-9, '2e-9'],
  ['full digits where no number shows a form', ['', 'NA'], 1.25, '1.25'],
])('an inferred value is written with %s', (_, texts, y, expected) => {
  expect(written(texts, y)).toBe(expected)
})

it('an inferred value is written with the separators of the column, and empty if there is none', () => {
  expect(written(['1.250,50', '980,00'], 12345.678, { decimal: ',', thousands: '.' })).toBe('12.345,68')
  expect(written(['1\u202f250', '980'], 12345.678, { decimal: ',', thousands: ' ' })).toBe('12\u202f346')
  expect(written(['12,345', '0,980'], 12345.678, { decimal: ',', thousands: '.' })).toBe('12.345,678')
  expect(written(['1250.5', '980'], 12345.678)).toBe('12345.7')
  expect(written(['1.5'], NaN)).toBeNull()
})

it('an inferred value of 1e21 or more is written with its exponent, whatever the decimals of the column', () => {
  for (const y of [1e20, 1e21, 1e30, -2.5e30, 1e39]) expect(Number(written(['18.3', '17'], y))).toBe(y)
  expect(written(['1.250,50', '980'], 2.5e30, { decimal: ',', thousands: '.' })).toBe('2,5e30')
})
