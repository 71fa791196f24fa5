import { expect, it } from 'vitest'
import {
  isWorthOptimizing,
  threadsForLoading,
  threadsForTask,
  threadsForWork,
} from '#lacuna/engine/cpu/threads/threadsForWork.js'

it('small problems use one thread, larger ones more, and none more than there are', () => {
  expect(threadsForWork(600, 3, 3, 16)).toBe(1)
  expect(threadsForWork(2000, 3, 10, 16)).toBe(1)
  expect(threadsForWork(30_000, 3, 4, 16)).toBe(3)
  expect(threadsForWork(12_000, 3, 10, 16)).toBe(4)
  expect(threadsForWork(1_000_000, 3, 10, 16)).toBe(16)
})

it('eight of sixteen threads load a million entries, and few take part in short operations', () => {
  expect([1000, 1_000_000, 3_300_000].map((entries) => threadsForLoading(entries, 16))).toEqual([1, 8, 16])
  expect([0, 90_000, 260_000, 5_000_000].map((ns) => threadsForTask(ns, 16))).toEqual([1, 1, 3, 16])
})

it('kernels are optimized before they run for long runs only', () => {
  expect([12_000, 300_000, 1_000_000].map((entries) => isWorthOptimizing(entries, 3, 10))).toEqual([
    false,
    false,
    true,
  ])
})
