import { expect, it } from 'vitest'
import { threadsForWork } from '#lacuna/engine/cpu/threads/threadsForWork.js'

it('small problems use one thread, larger ones more, and none more than there are', () => {
  expect(threadsForWork(600, 3, 3, 16)).toBe(1)
  expect(threadsForWork(2000, 3, 10, 16)).toBe(1)
  expect(threadsForWork(30_000, 3, 4, 16)).toBe(3)
  expect(threadsForWork(12_000, 3, 10, 16)).toBe(4)
  expect(threadsForWork(1_000_000, 3, 10, 16)).toBe(16)
})
