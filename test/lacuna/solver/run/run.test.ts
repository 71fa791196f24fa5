import { describe, expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { complete, Run } from '#lacuna/solver/index.js'
import { pickEntries, synthetic } from '#lacuna/tensor/index.js'
import { shuffleEntries } from '../../engine/suite.ts'
import { bytesOf, hidden, LEARNED, SOLVERS, tensor } from './problem.ts'

describe('a run', () => {
  it('a run yields reports, pauses where the loop is left, and continues where it is entered again', async () => {
    for (const options of [...SOLVERS, LEARNED]) {
      const whole = await complete(tensor, options)
      const run = await Run.start(tensor, options)
      const epochs: number[] = []
      for (let visits = 0; !run.stopped; visits++) {
        expect(visits).toBeLessThan(1000)
        let count = 0
        for await (const { epoch } of run) {
          epochs.push(epoch)
          if (++count === 3) break
        }
      }
      expect(epochs).toEqual(whole.epochs.map(({ epoch }) => epoch))
      expect(run.reports.map(({ train }) => train)).toEqual(whole.epochs.map(({ train }) => train))
      const { model, train, stopped } = await run.result()
      expect({ stopped, train }).toEqual({ stopped: 'epochs', train: whole.train })
      expect(bytesOf(model)).toBe(bytesOf(whole.model))
      expect(await run.advance()).toBeUndefined()
      await run.close()
    }
  })

  it('a model or result read during a run does not change its bits', async () => {
    const options = SOLVERS[0]
    const run = await Run.start(tensor, options)
    const errors: number[] = []
    for await (const report of run) {
      const model = await run.model()
      errors.push(model.error(tensor).relative)
      // The best so far: never worse than any report.
      expect(errors.at(-1)).toBeLessThan(1.001 * Math.min(...run.reports.map(({ train }) => train.relative)))
      expect(model.training.train).toMatchObject({ relative: expect.closeTo(errors.at(-1)!, 4) })
      expect(report.epoch).toBe(run.epochs)
      await run.state()
      await run.result()
    }
    expect(bytesOf((await run.result()).model)).toBe(bytesOf((await complete(tensor, options)).model))
    expect(errors.at(-1)).toBeLessThan(errors[0])
    await run.close()
  })

  it('a run is interrupted after the current iteration, in the middle of a round, and continues with the same bits', async () => {
    for (const options of [...SOLVERS, LEARNED]) {
      const wanted = bytesOf((await complete(tensor, options)).model)
      const run = await Run.start(tensor, options)
      let partial = 0
      while (!run.stopped) {
        // An iteration at a time: most rounds have several.
        if (!(await run.advance({ seconds: 0 })) && !run.stopped) partial++
      }
      expect(partial).toBeGreaterThan(3)
      expect(bytesOf((await run.result()).model)).toBe(wanted)
      await run.close()
    }
  })

  it('an aborted signal pauses a run', async () => {
    const abort = new AbortController()
    const run = await Run.start(tensor, {
      rank: 4,
      epochs: 100_000,
      tolerance: 0,
      lambda: 1,
      signal: abort.signal,
    })
    setTimeout(() => abort.abort(), 100)
    let reports = 0
    for await (const _ of run) reports++
    expect(reports).toBeGreaterThan(0)
    expect(run.stopped).toBeUndefined()
    expect((await run.result()).stopped).toBe('aborted')
    expect(await run.advance()).toBeUndefined()
    await run.close()
  })

  it('run.learned is true once factors are better than the initial ones', async () => {
    const run = await Run.start(tensor, { rank: 4 })
    expect(run.learned).toBe(false)
    const start = (await run.model()).error(tensor).relative
    await run.advance()
    expect(run.learned).toBe(true)
    expect((await run.model()).error(tensor).relative).toBeLessThan(start)
    await run.close()
  })

  it('a run ends after its seconds, at any sample fraction, and pauses do not count', async () => {
    // A round of a quarter epoch takes much longer at rank 200 than the time there is.
    const large = synthetic({ dims: [100, 90, 80], entries: 300_000, rank: 3, seed: 1 }).tensor
    for (const sample of [1, 0.001]) {
      const run = await Run.start(large, {
        rank: 120,
        sample,
        lambda: 1,
        seconds: 0.3,
        epochs: 1000,
        tolerance: 0,
      })
      const start = performance.now()
      await new Promise((resolve) => setTimeout(resolve, 400))
      for await (const _ of run);
      expect(run.stopped).toBe('seconds')
      // One iteration and one measurement of errors more, at the most.
      expect((performance.now() - start) / 1000).toBeLessThan(10)
      const { train, model } = await run.result()
      expect(train.relative).toBeGreaterThan(0)
      // A run ends before its limit only if another iteration, by the mean of those before, would end after it.
      const { iterations, seconds } = model.training as { iterations: number; seconds: number }
      expect(seconds).toBe(run.seconds)
      expect(seconds + seconds / iterations).toBeGreaterThanOrEqual(0.3)
      await run.close()
    }
  })
})

describe('sets that are watched', () => {
  it('watched sets are reported, and change no bit of the model', async () => {
    for (const options of [...SOLVERS, LEARNED]) {
      const alone = await complete(tensor, options)
      const watched = await complete(tensor, { ...options, watch: { hidden, again: hidden, tensor } })
      expect(bytesOf(watched.model)).toBe(bytesOf(alone.model))
      expect(watched.epochs).toHaveLength(alone.epochs.length)
      const last = watched.epochs.at(-1)!
      expect(last.watch?.again).toEqual(last.watch?.hidden)
      expect(last.watch?.tensor.relative).toBeCloseTo(last.train.relative, 6)
      expect(watched.model.error(hidden).relative).toBeCloseTo(watched.watch!.hidden.relative, 5)
      expect(watched.validation).toBeUndefined()
    }
  })

  it('validation entries select the factors, watched sets do not', async () => {
    const options = { rank: 12, lambda: 1e-6, sample: 1, epochs: 40, tolerance: 0, patience: 1000 } as const
    const half = Math.floor(hidden.values.length / 2)
    const numbers = Uint32Array.from(hidden.values, (_, e) => e)
    const validation = pickEntries(hidden, numbers.subarray(0, half))
    const other = pickEntries(hidden, numbers.subarray(half))
    const result = await complete(tensor, { ...options, validation, watch: { other } })
    const best = result.epochs.reduce((a, b) => (b.validation!.relative < a.validation!.relative ? b : a))
    expect(result.validation).toEqual(best.validation)
    expect(result.watch).toEqual(best.watch)
    expect(bytesOf(result.model)).toBe(bytesOf((await complete(tensor, { ...options, validation })).model))
  })
})

describe('rows without entries', () => {
  it('rows without entries have the mean of the others whenever errors are measured, so that reports match the model', async () => {
    const kept = Uint32Array.from(tensor.values.keys()).filter((e) => tensor.indices[1][e] % 7 !== 3)
    const holey = pickEntries(tensor, kept)
    for (const options of [...SOLVERS, LEARNED]) {
      const result = await complete(holey, { ...options, validation: hidden, watch: { hidden } })
      expect(result.model.unobserved[1].length).toBeGreaterThan(5)
      expect(result.model.error(hidden).relative).toBeCloseTo(result.validation!.relative, 5)
      expect(result.watch!.hidden).toEqual(result.validation)
    }
  })
})

describe('an engine that is given', () => {
  it('a given engine stays open, and serves runs one after another and side by side', async () => {
    const engine = cpuEngine({ threads: 2 })
    const alone = bytesOf((await complete(tensor, { rank: 4, epochs: 3 })).model)
    for (let i = 0; i < 3; i++)
      expect(bytesOf((await complete(tensor, { rank: 4, epochs: 3, engine })).model)).toBe(alone)
    const models = await Promise.all(
      [1, 2, 3, 4].map(() => complete(tensor, { rank: 4, epochs: 3, engine, threads: 1 })),
    )
    for (const { model } of models) expect(bytesOf(model)).toBe(alone)
    await engine.close()
    await expect(complete(tensor, { rank: 4, engine })).rejects.toThrow('closed')
  })
})

describe('the order of the lines', () => {
  it('the order of the entries does not change a bit', async () => {
    for (const options of [...SOLVERS, LEARNED]) {
      const one = await complete(tensor, { ...options, validation: hidden })
      const other = await complete(shuffleEntries(tensor, 5), {
        ...options,
        validation: shuffleEntries(hidden, 6),
      })
      expect(bytesOf(other.model)).toBe(bytesOf(one.model))
      expect(other.validation).toEqual(one.validation)
    }
  })
})
