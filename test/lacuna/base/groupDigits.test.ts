import { expect, it } from 'vitest'
import { groupDigits } from '#lacuna/base/groupDigits.js'

it('groupDigits prints whole numbers with commas, as Intl does', () => {
  const numbers = [
    0, 7, 999, 1000, 12_345, 999_999, 3_309_490, 1_234_567_890_123, -1, -999, -1000, -1_234_567,
  ]
  for (const n of numbers) expect(groupDigits(n)).toBe(n.toLocaleString('en-US'))
})
