/** The engine suite on a software adapter, with subgroups and without, and what only this engine has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuEngine } from '#dist/engine/cpu/index.js'
import type { Engine, Iterations, LoadedProblem, Step } from '#dist/engine/engine.js'
import { type GpuEngine, gpuEngine } from '#dist/engine/gpu/index.js'
import { distance, randomFactors, randomTensor, toMatrix, weighted } from '../../problems.ts'
import { engineChecks, tryFewer } from '../suite.ts'
import { useSoftwareAdapter } from './softwareAdapter.ts'

useSoftwareAdapter()
// Every rank and order compiles kernels of its own.
tryFewer()

/** An engine that many checks share, so that kernels are compiled once. */
const unclosed = (engine: Engine): Engine =>
  new Proxy(engine, {
    get(target, name) {
      if (name === 'close') return async () => {}
      const value = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

const NOT_ON_A_CARD = ['takes cells that are not listed', 'takes listed cells of other sets']
const checks = engineChecks.filter(({ name }) => !NOT_ON_A_CARD.some((other) => name.startsWith(other)))

describe('the GPU engine', () => {
  let engine: GpuEngine
  beforeAll(async () => {
    engine = await gpuEngine({ threads: 2 })
  })
  afterAll(() => engine.close())
  it.each(checks)('$name', ({ check }) => check(() => unclosed(engine)), 180_000)
})
