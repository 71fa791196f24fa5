import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { resumeRun, startRun } from '#lacuna/fileRun.js'
import type { CpModel } from '#lacuna/model/index.js'
import {
  type Changes,
  complete,
  decodeRun,
  encodeRun,
  Run,
  type RunOptions,
  type RunState,
} from '#lacuna/solver/index.js'
import { pickEntries, type SparseTensor, synthetic } from '#lacuna/tensor/index.js'
import { refusal } from '../../../refusal.ts'
import { shuffleEntries } from '../../engine/suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-run-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** The path of a file in the folder of this test. */
const at = (name: string): string => join(folder, name)

const problem = synthetic({
  dims: [12, 60, 50],
  entries: 12_000,
  rank: 3,
  snrDb: 15,
  seed: 2,
  testEntries: 800,
})
const { tensor } = problem
const hidden = problem.test!

/** The factors as hexadecimal text, to compare bits. */
const bytesOf = ({ factors }: Pick<CpModel, 'factors'>): string =>
  Buffer.concat(
    factors.map((factor) => Buffer.from(factor.buffer, factor.byteOffset, factor.byteLength)),
  ).toString('base64')

const SOLVERS: RunOptions[] = [
  { solver: 'fast', rank: 4, epochs: 12, tolerance: 0 },
  { solver: 'fast', rank: 26, epochs: 6, tolerance: 0 },
  { solver: 'paper', rank: 4, sample: 0.3, maxInner: 2, epochs: 6 },
]
/** Ends with sweeps under a learned prior. */
const LEARNED: RunOptions = { rank: 5, epochs: 42, tolerance: 0 }

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

describe('a change on the way', () => {
  it('changed settings apply from the next round on, and earlier factors are no longer preferred', async () => {
    for (const solver of ['fast', 'paper'] as const) {
      const run = await Run.start(tensor, { solver, rank: 4, lambda: 0.001, sample: 1, epochs: 400 })
      for (let i = 0; i < 30; i++) await run.advance()
      const before = (await run.model()).error(tensor).relative
      // Far too much: what fits now fits less closely, and is returned all the same.
      await run.change({ lambda: 1000 })
      const report = await run.advance()
      expect(report?.lambda).toBe(1000)
      for (let i = 0; i < 20; i++) await run.advance()
      expect((await run.model()).error(tensor).relative).toBeGreaterThan(1.5 * before)
      expect(run.settings.lambda).toBe(1000)
      await run.close()
    }
  })

  it('a run that has ended continues after a change of its limit', async () => {
    const run = await Run.start(tensor, { rank: 4, epochs: 2 })
    for await (const _ of run);
    expect(run.stopped).toBe('epochs')
    await run.change({ epochs: 4 })
    expect(run.stopped).toBeUndefined()
    for await (const _ of run);
    expect(run.epochs).toBeGreaterThan(3.5)
    await run.close()
  })

  it('a run that is changed, saved and resumed continues with the bits of one that is not interrupted', {
    timeout: 40_000,
  }, async () => {
    // A run learns a prior unless λ or c are given, and its state has covariances if it was to do so at first.
    const cases: [start: RunOptions, ...changes: Changes[]][] = [
      [{}, { lambda: 0.1 }],
      [{}, { sample: 0.5 }],
      [{}, { lambda: 0.1 }, { lambda: 'auto' }],
      [{}, { tolerance: 0.01 }],
      [{ sample: 0.5 }, { sample: 'auto' }],
    ]
    const factors: string[] = []
    for (const [start, first, second] of cases)
      for (const isInterrupted of [false, true]) {
        let run = await startRun(tensor, { ...LEARNED, ...start, threads: 1 })
        for await (const { epoch } of run) if (epoch > 1) break
        await run.change(first)
        if (isInterrupted) {
          await run.save(at('changed.run'))
          await run.close()
          run = await resumeRun(at('changed.run'), tensor, { threads: 2 })
        }
        if (second) {
          await run.advance()
          await run.change(second)
        }
        for await (const _ of run);
        factors.push(bytesOf(await run.model()))
        await run.close()
      }
    cases.forEach((changes, i) => {
      expect(factors[2 * i + 1], JSON.stringify(changes)).toBe(factors[2 * i])
    })
  })

  it('a run that was started with a given λ learns no prior after a change to an automatic one', {
    timeout: 40_000,
  }, async () => {
    const run = await Run.start(tensor, { ...LEARNED, lambda: 0.1 })
    await run.advance()
    await run.change({ lambda: 'auto' })
    for await (const _ of run);
    expect(run.stopped).toBe('epochs')
    expect((await run.model()).prior).toBeUndefined()
    await run.close()
  })

  it('an invalid change of settings is refused', async () => {
    const run = await Run.start(tensor, { rank: 4 })
    expect(() => run.change({ rank: 5 } as object)).toThrow(
      /rank cannot be changed on the way; lambda, sample/,
    )
    expect(() => run.change({ lambda: -1 })).toThrow('lambda is -1')
    await run.close()
  })
})

describe('a saved run', () => {
  it('a saved run resumes with the bits of an uninterrupted one, on other threads and partitions, with entries in another order', async () => {
    for (const options of [...SOLVERS, LEARNED]) {
      const whole = await complete(tensor, { ...options, validation: hidden, watch: { hidden } })
      const run = await startRun(tensor, { ...options, validation: hidden, watch: { hidden } })
      const moves = [
        { threads: 1, parts: 1 },
        { threads: 3, parts: 2 },
        { threads: 2, parts: 3 },
      ]
      let current = run
      for (const [i, move] of moves.entries()) {
        // In the middle of a round, mostly.
        for (let step = 0; step < 5; step++) await current.advance({ seconds: 0 })
        await current.save(at('moving.run'))
        await current.close()
        const engine = cpuEngine(move)
        current = await resumeRun(at('moving.run'), shuffleEntries(tensor, i + 1), {
          engine,
          validation: shuffleEntries(hidden, i + 1),
          watch: { hidden: shuffleEntries(hidden, i + 7) },
        })
        expect(current.settings).toEqual(whole.settings)
        if (i < moves.length - 1) continue
        for await (const _ of current);
        const result = await current.result()
        expect(bytesOf(result.model)).toBe(bytesOf(whole.model))
        const plain = ({ epochs }: typeof whole) =>
          epochs.map(({ seconds: _, updateSeconds: __, ...rest }) => rest)
        expect(plain(result)).toEqual(plain(whole))
        expect(result).toMatchObject({
          stopped: whole.stopped,
          train: whole.train,
          validation: whole.validation,
        })
        await current.close()
        await engine.close()
      }
    }
  })

  it('a run with the Huber loss resumes with the bits of an uninterrupted one from any sweep under a prior', async () => {
    const { tensor } = synthetic({ dims: [24, 20, 12], entries: 1500, rank: 2, snrDb: 12, seed: 3 })
    const options: RunOptions = { rank: 3, loss: 'huber', epochs: 25, threads: 1 }
    const whole = await complete(tensor, options)
    for (const epochs of [5, 6, 7, 20]) {
      const run = await Run.start(tensor, options)
      while (run.epochs < epochs) await run.advance()
      const state = await run.state()
      await run.close()
      const resumed = await Run.resume(state, tensor, { threads: 2 })
      for await (const _ of resumed);
      expect(bytesOf(await resumed.model()), `saved after ${epochs} epochs`).toBe(bytesOf(whole.model))
      await resumed.close()
    }
  })

  it('a saved run refuses other entries by their digest, and other settings by name', async () => {
    const run = await startRun(tensor, { rank: 4, seed: 3, validation: hidden })
    await run.advance()
    await run.save(at('a.run'))
    await run.close()
    const resume = (of: SparseTensor, options: RunOptions) =>
      resumeRun(at('a.run'), of, options).then((found) => found.close())
    await resume(tensor, { validation: hidden })
    await resume(tensor, { validation: hidden, rank: 4, seed: 3, threads: 1, epochs: 7, seconds: 100 })
    const changed = { ...tensor, values: tensor.values.slice() }
    changed.values[5] += 0.5
    const other = refusal(
      'The run was saved with other entries: the tensor, its validation entries or the sets that it watched are not the same now; give all of them as they were, or start anew.',
      'checkpoint',
    )
    await expect(resume(changed, { validation: hidden })).rejects.toThrow(other)
    await expect(resume(tensor, {})).rejects.toThrow(other)
    await expect(resume(tensor, { validation: hidden, rank: 5 })).rejects.toThrow(
      refusal(
        'The run was saved with rank: 4, and now it is 5; leave it as it was, or start anew.',
        'checkpoint',
      ),
    )
    await expect(resume(tensor, { validation: hidden, solver: 'paper' })).rejects.toThrow("solver: 'fast'")
  })

  it('a saved run resumes with its own settings; only its limits can change', async () => {
    const run = await startRun(tensor, { rank: 4, epochs: 5 })
    await run.save(at('b.run'))
    await run.close()
    const others: RunOptions[] = [
      { lambda: 2 },
      { sample: 0.5 },
      { seed: 2 },
      { tolerance: 0.1 },
      { prior: 'isotropic' },
      { noise: 'gaussian' },
      { loss: 'huber' },
    ]
    for (const change of others)
      await expect(resumeRun(at('b.run'), tensor, change), JSON.stringify(change)).rejects.toThrow(
        /^The run was saved .*; leave it as it was, or start anew\.$/,
      )
    await (await resumeRun(at('b.run'), tensor, { epochs: 9, seconds: 60 })).close()
  })

  it('a saved run that is damaged, cut short, or another kind of file is refused', async () => {
    const run = await startRun(tensor, { rank: 4 })
    await run.advance()
    const state = await run.state()
    await run.close()
    const bytes = Buffer.concat(encodeRun(state))
    const again = decodeRun(bytes, 'x.run')
    expect(again.progress).toEqual(JSON.parse(JSON.stringify(state.progress)))
    expect(again.settings).toEqual(state.settings)
    expect(again.engine).toEqual(state.engine)
    for (const end of [0, 5, 20, 100, bytes.length - 1])
      expect(() => decodeRun(bytes.subarray(0, end), 'x.run')).toThrow(
        /^x\.run: (this is no saved run|the saved run is damaged)/,
      )
    for (const place of [12, 30, 500, bytes.length - 200, bytes.length - 2]) {
      const flipped = Buffer.from(bytes)
      flipped[place] ^= 4
      expect(() => decodeRun(flipped, 'x.run')).toThrow(/^x\.run: /)
    }
    expect(() => decodeRun(Buffer.from('PK not a run at all, but text'), 'x.run')).toThrow('no saved run')
  })

  it('a saved run with forged contents is refused', async () => {
    const run = await startRun(tensor, { rank: 4 })
    const state = await run.state()
    await run.close()
    const forged = (change: (state: RunState) => void): Buffer => {
      const copy = structuredClone(state)
      change(copy)
      return Buffer.concat(encodeRun(copy))
    }
    const cases: [Buffer, RegExp][] = [
      [forged((s) => Object.assign(s.settings, { rank: 0 })), /rank is 0/],
      [forged((s) => Object.assign(s.settings, { solver: 'magic' })), /solver/],
      [forged((s) => Object.assign(s.progress, { iterations: 'x' })), /progress\.iterations is not a number/],
      [forged((s) => Object.assign(s.progress, { best: null })), /progress\.best is not an object/],
      [forged((s) => s.engine.factors.pop()), /factors/],
      [forged((s) => s.engine.factors.splice(0, 1, new Float32Array(3))), /factors/],
      [forged((s) => s.engine.factors[1].set([-1e-3], 7)), /The factors of the saved run/],
      [forged((s) => s.engine.factors[2].fill(Infinity)), /The factors of the saved run/],
      [forged((s) => s.engine.snapshot?.[0].fill(Number.NaN)), /snapshot/],
      [forged((s) => Object.assign(s.progress.method, { strata: { rate: 1 } })), /stratified SGD/],
    ]
    for (const [bytes, message] of cases) {
      writeFileSync(at('forged.run'), bytes)
      const error = await resumeRun(at('forged.run'), tensor).catch((error) => error)
      expect(error.name).toBe('InputError')
      expect(error.message).toMatch(message)
    }
  })

  it('a saved run replaces the previous file only when it is written completely', async () => {
    const run = await startRun(tensor, { rank: 4 })
    await run.save(at('whole.run'))
    const before = readFileSync(at('whole.run'))
    await expect(run.save(at('gone/whole.run'))).rejects.toThrow('there is no folder')
    expect(readFileSync(at('whole.run')).equals(before)).toBe(true)
    expect(existsSync(at('gone'))).toBe(false)
    await run.close()
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

describe('the border', () => {
  const few = pickEntries(tensor, Uint32Array.of(0, 1, 2))
  const cases: [string, unknown, unknown, RegExp][] = [
    ['nothing at all', undefined, undefined, /^The tensor is missing; give dims, indices and values/],
    ['null', null, {}, /^The tensor is missing/],
    ['text', 'tensor', {}, /^The tensor is no tensor/],
    ['a model', { dims: [2, 2], rank: 1, factors: [] }, {}, /^The tensor is no tensor/],
    ['plain numbers', { ...few, values: [1, 2, 3] }, {}, /^The tensor has values that are no Float32Array/],
    ['float64', { ...few, values: Float64Array.of(1, 2, 3) }, {}, /no Float32Array/],
    [
      'plain indices',
      { ...few, indices: few.indices.map((c) => [...c]) },
      {},
      /indices of mode 1 that are no Uint32Array/,
    ],
    ['unequal columns', { ...few, values: Float32Array.of(1, 2) }, {}, /^Mode 1 has 3 indices for 2 values/],
    ['a missing column', { ...few, indices: few.indices.slice(1) }, {}, /3 dims but 2 index columns/],
    [
      'an index beyond',
      { ...few, dims: [12, 60, 3] },
      {},
      /^Entry \d has index \d+ in mode 3; .* from 0 to 2/,
    ],
    ['NaN', { ...few, values: Float32Array.of(1, NaN, 3) }, {}, /^Entry 1 has the value NaN/],
    ['no entries', pickEntries(few, new Uint32Array(0)), {}, /no observed entries/],
    ['an unknown option', few, { ranks: 3 }, /^There is no option ranks; there are rank, solver/],
    [
      'an engine that is none',
      few,
      { engine: {} },
      /^engine is no engine; give what cpuEngine\(\) or gpuEngine\(\) makes/,
    ],
    [
      'initial factors that are none',
      few,
      { initial: {} },
      /^initial is neither a model nor a list of factors/,
    ],
    ['options that are none', few, 5, /^The options are 5; they must be an object/],
    ['text for a number', few, { rank: '5' }, /^rank is 5; it must be a whole number from 1/],
    ['NaN for a number', few, { lambda: NaN }, /^lambda is NaN/],
    ['validation that is none', few, { validation: [] }, /^validation is no tensor/],
    [
      'validation with NaN',
      few,
      { validation: { ...few, values: few.values.map(() => NaN) } },
      /^Entry 0 of validation has the value NaN/,
    ],
    ['watch that is none', few, { watch: few.values }, /no tensor|missing/],
    [
      'a watched name that is taken',
      few,
      { watch: { train: few } },
      /^watch has a set 'train'; choose another name/,
    ],
    [
      'a watched set of another size',
      few,
      { watch: { a: { ...few, dims: [12, 60, 51] } } },
      /^The watched set 'a' is of size 12×60×51/,
    ],
  ]
  it.each(cases)('a run refuses %s', async (_, of, options, message) => {
    for (const start of [complete, startRun]) {
      const error = await (start as typeof startRun)(of as SparseTensor, options as RunOptions).then(
        () => undefined,
        (error) => error,
      )
      expect(error.name).toBe('InputError')
      expect(error.message).toMatch(message)
      expect(typeof error.code).toBe('string')
    }
  })

  it('a run takes the rank of its initial model', async () => {
    const { model } = await complete(tensor, { rank: 3, epochs: 2 })
    const again = await complete(tensor, { initial: model, epochs: 1 })
    expect(again.model.rank).toBe(3)
    await expect(complete(tensor, { initial: model, rank: 4 })).rejects.toThrow(
      'The initial model has rank 3',
    )
  })
})
