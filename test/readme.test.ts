/** The README is a first screen, not a manual. (test/docs runs its examples.) */
import { expect, it } from 'vitest'
import { textOf } from './docs/blocks.ts'

it('the README is short, and its lines fit a screen', () => {
  const lines = textOf('README.md').split('\n')
  expect(lines.length).toBeLessThan(150)
  expect(lines.filter((line) => line.length >= 110)).toEqual([])
})
