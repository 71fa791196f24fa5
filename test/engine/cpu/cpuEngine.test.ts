import { describe, expect, it } from 'vitest'
import { cpuEngine } from '#dist/engine/cpu/index.js'
import { randomFactors, randomTensor } from '../../problems.ts'
import { engineSuite } from '../suite.ts'

engineSuite('CPU', () => cpuEngine({ threads: 2 }))

describe('threads', () => {
  const tensor = randomTensor({ dims: [24, 300, 200], entries: 60_000, seed: 4 })

  async function factorsWith(threads: number, seed = 9): Promise<Buffer> {
    const engine = cpuEngine({ threads })
    await engine.load({ tensor, rank: 10, companions: true, seed, valueScale: 1 })
    await engine.writeFactors(randomFactors(tensor.dims, 10, 1))
    await engine.iterate({
      first: 0,
      count: 6,
      sample: 0.5,
      lambda: 0.01,
      seed,
      step: { kind: 'paper', maxInner: 2 },
    })
    const factors = await engine.readFactors()
    await engine.close()
    return Buffer.concat(factors.map((factor) => Buffer.from(factor.buffer)))
  }

  it('do not change a bit of the factors', async () => {
    const one = await factorsWith(1)
    for (const threads of [2, 3, 4, 7]) expect((await factorsWith(threads)).equals(one)).toBe(true)
  })

  it('leave the choice to the seed', async () => {
    expect((await factorsWith(2, 10)).equals(await factorsWith(2, 9))).toBe(false)
  })

  it('leave the event loop free while they solve', async () => {
    const engine = cpuEngine({ threads: 2 })
    await engine.load({ tensor, rank: 50, companions: false, seed: 1, valueScale: 1 })
    await engine.writeFactors(randomFactors(tensor.dims, 50, 1))
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    setTimeout(() => engine.stop(), 300)
    await engine.iterate({
      first: 0,
      count: 1_000_000,
      sample: 0.5,
      lambda: 0.01,
      seed: 1,
      step: { kind: 'paper', maxInner: 1 },
    })
    clearInterval(timer)
    await engine.close()
    // Were the loop blocked, neither the ticks nor the stop would have come.
    expect(ticks).toBeGreaterThan(10)
  })
})
