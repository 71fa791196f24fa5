/** What the GPU engine does where the device is lost, has no memory left or cannot be opened. */
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { CpuEngine } from '#lacuna/engine/cpu/cpuEngine.js'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import type { Problem } from '#lacuna/engine/engine.js'
import { describeStartFailure } from '#lacuna/engine/gpu/adapter.js'
import type { Device } from '#lacuna/engine/gpu/device.js'
import { autoEngine, gpuEngine } from '#lacuna/engine/gpu/index.js'
import { distance, randomTensor, toMatrix, weighted } from '../../../problems.ts'
import { begin, NEWTON, PATIENCE_MS, problemOf, runOf } from './problem.ts'
import { useSoftwareAdapter } from './softwareAdapter.ts'

useSoftwareAdapter()

const cpu = cpuEngine({ allThreads: true, threads: 2, parts: 2 })
afterAll(() => cpu.close())

describe('a lost device', () => {
  const problem = {
    ...problemOf([20, 30, 10], 2000, 3),
    tensor: weighted(randomTensor({ dims: [20, 30, 10], entries: 2000, seed: 2 })),
  }

  it.each([
    ['a new device', true],
    ['the CPU', false],
  ])(
    'After the loss of a device the run continues on %s, from the last snapshot',
    { timeout: PATIENCE_MS },
    async (backend, reopens) => {
      const remarks: string[] = []
      const engine = await gpuEngine({ threads: 2, reopens, onRemark: (remark) => remarks.push(remark) })
      const loaded = await begin(engine, problem)
      await loaded.snapshot()
      const kept = await loaded.readFactors()
      await loaded.writeState(await loaded.readState()) // a snapshot of it
      const lasting = loaded.iterate({ ...runOf(NEWTON), count: 30 })
      engine.device!.gpu.destroy()
      expect((await lasting).done).toBe(30)
      expect(remarks).toHaveLength(1)
      expect(remarks[0]).toContain(`goes on from its last snapshot on ${backend}`)
      expect(loaded.backend).toBe(reopens ? engine.name : `${engine.name}, then 2 threads`)
      // The same steps as if nothing had happened, and what was kept is still there.
      const other = await begin(cpu, problem)
      await other.iterate({ ...runOf(NEWTON), count: 30 })
      const wanted = (await other.readFactors()).map((factor) => toMatrix(factor, 3))
      expect(distance(await loaded.readFactors(), wanted)).toBeLessThan(1e-2)
      expect(
        distance(
          await loaded.readFactors('snapshot'),
          kept.map((factor) => toMatrix(factor, 3)),
        ),
      ).toBeLessThan(1e-6)
      await other.close()
      await engine.close()
    },
  )

  it('After the loss of a device sweeps under a learned prior continue on a new one', {
    timeout: PATIENCE_MS,
  }, async () => {
    const tensor = randomTensor({ dims: [12, 9], entries: 80, seed: 4 })
    const problem: Problem = { tensor, rank: 2, momentumFactors: true, seed: 1, posterior: 'rows' }
    const step = { kind: 'posterior', noise: 'gaussian', loss: 'squares', entries: 80, mean: 1 } as const
    const first = { ...step, begin: { sigma2: 0.3, squares: 30, variance: 1 } }
    const engine = await gpuEngine({ threads: 2 })
    const found: Float32Array[][] = []
    for (const place of [engine, cpu]) {
      const loaded = await begin(place, problem)
      await loaded.iterate({ ...runOf(first, 1), first: 0, count: 1 })
      if (place === engine) engine.device!.gpu.destroy()
      await loaded.iterate({ ...runOf(step, 1), first: 1 })
      found.push(await loaded.readFactors())
      await loaded.close()
    }
    const wanted = found[1].map((factor) => toMatrix(factor, 2))
    expect(distance(found[0], wanted)).toBeLessThan(1e-3)
    await engine.close()
  })
})

describe('a GPU that cannot be opened', () => {
  afterEach(() => vi.unstubAllGlobals())
  const info = { vendor: 'acme', architecture: 'one', device: '', description: '' }
  const requestDevice = () => Promise.reject(new Error('the driver is broken'))
  const adapter = { info, limits: {}, features: new Set(), requestDevice }
  const message = 'The graphics card (acme one) cannot be opened: the driver is broken'

  it('A GPU that cannot be opened is refused in a sentence if asked for, and otherwise the CPU is used', async () => {
    vi.stubGlobal('navigator', { gpu: { requestAdapter: async () => adapter } })
    await expect(gpuEngine()).rejects.toMatchObject({ code: 'unavailable', message })
    const remarks: string[] = []
    const engine = await autoEngine({ threads: 1, onRemark: (remark) => remarks.push(remark) })
    expect(engine).toBeInstanceOf(CpuEngine)
    expect(remarks).toEqual([`${message}. So the CPU does it.`])
    await engine.close()
  })

  it('A failed start of WebGPU is told from a missing package', () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    expect(describeStartFailure(missing)).toMatch(/not installed: npm install webgpu/)
    const unfit = Object.assign(new Error('libstdc++.so.6 is too old'), { code: 'ERR_DLOPEN_FAILED' })
    expect(describeStartFailure(unfit)).toBe('WebGPU cannot be started: libstdc++.so.6 is too old')
  })
})

describe('a GPU without memory', () => {
  const problem = problemOf([20, 30, 10], 2000, 3)
  const FULL = 'Out of memory.'
  const inTime = { timeout: PATIENCE_MS }

  /** Simulates an allocation in the next error scope that does not fit. */
  function refuseNext({ gpu }: Device): void {
    const pop = gpu.popErrorScope
    gpu.popErrorScope = async () => {
      gpu.popErrorScope = pop
      await gpu.popErrorScope()
      return { message: FULL } as GPUError
    }
  }

  it(
    'A run continues on the CPU, from the last snapshot, when the GPU has no memory left',
    inTime,
    async () => {
      const remarks: string[] = []
      const onRemark = (remark: string) => remarks.push(remark)
      const engine = await gpuEngine({ threads: 2, worthwhileFrom: 1, onRemark })
      const [loaded, other] = [await begin(engine, problem), await begin(cpu, problem)]
      await loaded.snapshot()
      refuseNext(engine.device!) // the buffer for sums
      for (const each of [loaded, other]) await each.iterate(runOf(NEWTON))
      const wanted = (await other.readFactors()).map((factor) => toMatrix(factor, 3))
      expect(distance(await loaded.readFactors(), wanted)).toBeLessThan(1e-3)
      expect(loaded.backend).toBe(`${engine.name}, then 2 threads`)
      expect(remarks).toHaveLength(1)
      expect(remarks[0]).toMatch(/has no memory left; .* goes on from its last snapshot on the CPU\.$/)
      await loaded.close()
      // It has some again for others.
      const next = await begin(engine, problem)
      await next.iterate(runOf(NEWTON))
      expect(next.backend).toBe(engine.name)
      for (const each of [next, other, engine]) await each.close()
    },
  )

  it('An error of the device fails the problem that is working, and no idle one', inTime, async () => {
    const engine = await gpuEngine({ threads: 2 })
    const [failing, idle] = [await begin(engine, problem), await begin(engine, problem)]
    const working = failing.iterate(runOf(NEWTON))
    const said = Object.assign(new Event('uncapturederror'), { error: { message: FULL } })
    await new Promise(setImmediate) // it has begun
    engine.device!.gpu.dispatchEvent(said)
    await expect(working).rejects.toMatchObject({ code: 'memory' })
    await expect(failing.readFactors()).rejects.toMatchObject({ code: 'memory' })
    await idle.iterate(runOf(NEWTON))
    for (const each of [failing, idle, engine]) await each.close()
  })

  it('Loading destroys all buffers of a problem that does not fit', async () => {
    const engine = await gpuEngine({ threads: 2 })
    const device = engine.device!
    const made: GPUBuffer[] = []
    const createStorage = device.createStorage.bind(device)
    device.createStorage = (byteLength) => {
      if (made.length === 5) throw new RangeError('no room')
      made.push(createStorage(byteLength))
      vi.spyOn(made[made.length - 1], 'destroy')
      return made[made.length - 1]
    }
    await expect(engine.load(problem)).rejects.toThrow(/^The graphics card has no room for/)
    for (const { destroy } of made) expect(destroy).toHaveBeenCalledOnce()
    await engine.close()
  })
})
