import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { resumeRun, startRun } from '#lacuna/fileRun.js'
import {
  type Changes,
  complete,
  decodeRun,
  encodeRun,
  Run,
  type RunOptions,
  type RunState,
} from '#lacuna/solver/index.js'
import { type SparseTensor, synthetic } from '#lacuna/tensor/index.js'
import { refusal } from '../../../refusal.ts'
import { shuffleEntries } from '../../engine/suite.ts'
import { bytesOf, hidden, LEARNED, SOLVERS, tensor } from './problem.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-saved-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** The path of a file in the folder of this test. */
const at = (name: string): string => join(folder, name)

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
