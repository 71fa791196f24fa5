import { expect, it } from 'vitest'
import { strataBlocks } from '#lacuna/engine/cpu/setup/grid/grid.js'

it('strataBlocks is the most that leaves 32 entries to a cell, at least 2 and at most 32', () => {
  for (const order of [3, 4]) {
    for (const blocks of [4, 8, 16, 32]) {
      expect(strataBlocks(order, 32 * blocks ** order)).toBe(blocks)
      expect(strataBlocks(order, 32 * blocks ** order - 1)).toBe(blocks / 2)
    }
    expect(strataBlocks(order, 1)).toBe(2)
    expect(strataBlocks(order, 1e12)).toBe(32)
  }
})
