/**
 * Merged and split modes are learned as if someone had reshaped the tensor by hand, and speak of the original
 * ones.
 */
import { describe, expect, it } from 'vitest'
import type { CpModel } from '#lacuna/model/index.js'
import { complete, decodeRun, encodeRun, Run, type RunOptions } from '#lacuna/solver/index.js'
import { observe, type SparseTensor, split, synthetic, withZeros } from '#lacuna/tensor/index.js'

const { tensor } = synthetic({ dims: [6, 50, 5], entries: 1000, rank: 2, snrDb: 20, seed: 3 })
const modes = ['from', 'hour', 'to'].map((name) => ({ name }))
const parts = split({ ...tensor, modes }, { validation: 0.1, test: 0.1 }, 1)

const arrange: RunOptions = { mergeModes: [['to', 'from']], split: [{ mode: 'hour', into: 12 }] }
const options: RunOptions = { rank: 3, epochs: 30, tolerance: 0 }

/** The tensor with from and to merged, and hours split into half-days and hours of them. */
const reshapeByHand = ({ indices: [from, hour, to], values }: SparseTensor): SparseTensor => ({
  dims: [30, 5, 12],
  indices: [from.map((i, e) => 5 * i + to[e]), hour.map((t) => Math.floor(t / 12)), hour.map((t) => t % 12)],
  values,
})

/** The message with which a promise is rejected. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'It is not.',
    (error: Error) => error.message,
  )

/** The factors as hexadecimal text, to compare bits. */
const bytesOf = ({ factors }: CpModel): string =>
  factors
    .map((factor) => Buffer.from(factor.buffer, factor.byteOffset, factor.byteLength).toString('hex'))
    .join()

describe('a run on reshaped modes', () => {
  it('a run with mergeModes and split has the bits of one on the tensor reshaped by hand', async () => {
    for (const solver of ['fast', 'paper'] as const) {
      const { train, validation, test } = parts
      const asked = { solver, ...options, ...(solver === 'paper' && { epochs: 3 }) }
      const reshaped = await complete(train, { ...asked, ...arrange, validation, watch: { test } })
      const hand = await complete(reshapeByHand(train), {
        ...asked,
        validation: reshapeByHand(validation),
        watch: { test: reshapeByHand(test) },
      })
      const { model } = reshaped
      expect(bytesOf(model)).toBe(bytesOf(hand.model))
      expect(reshaped.validation).toEqual(hand.validation)
      expect(reshaped.watch).toEqual(hand.watch)
      expect(model.dims).toEqual([6, 50, 5])
      expect(model.unobserved).toEqual(hand.model.unobserved)
      expect(model.observed).toEqual(observe(train))
      expect(model.prior).toEqual(hand.model.prior)
      expect(model.error(test).rmse).toBeCloseTo(reshaped.watch!.test.rmse, 4)
      expect(model.predict([2, 31, 4])).toBe(hand.model.predict([14, 2, 7]))
      expect(model.predict({ from: 3, hour: 32, to: 5 })).toBe(model.predict([2, 31, 4]))
      expect(reshaped.settings).toMatchObject({ mergeModes: [[0, 2]], split: [{ mode: 1, into: [12] }] })
    }
  })

  it('with missing zeros modes can be merged, and a split that leaves a block incomplete is refused', async () => {
    const asked: RunOptions = { ...options, epochs: 5, missing: 'zero' }
    const { train } = parts
    const { model } = await complete(train, { ...asked, mergeModes: [[0, 2]] })
    const indices = [train.indices[0].map((i, e) => 5 * i + train.indices[2][e]), train.indices[1]]
    const hand = await complete({ dims: [30, 50], indices, values: train.values }, asked)
    expect(bytesOf(model)).toBe(bytesOf(hand.model))
    expect(model.observed).toEqual(withZeros(observe(train), train.dims))
    expect(await refusal(complete(train, { ...asked, ...arrange }))).toBe(
      "missing: 'zero' takes every cell for known, and split: '2:12' makes blocks of which one is not full: mode 2 has 50 rows; give blocks that they fill.",
    )
  })
})

describe('neighbours and attributes beside a reshaping', () => {
  const { train, validation } = parts
  const merge: RunOptions = { mergeModes: [['to', 'from']] }
  const values = Float32Array.from({ length: 50 }, (_, t) => Math.sin(t / 4))
  const features = { columns: 1, values }
  const handTrain: SparseTensor = mergePairs(train)

  it('lags and features apply to modes by name, at whatever position the reshaping puts them', async () => {
    // hour is the third mode, and the second one where the others are merged.
    const { indices, values } = train
    const last = { dims: [6, 5, 50], indices: [indices[0], indices[2], indices[1]], values }
    const named = ['from', 'to', 'hour'].map((name) => ({ name }))
    const asked = { ...options, epochs: 300, choose: false }
    const without = await complete({ ...last, modes: named }, { ...asked, ...merge })
    for (const sides of [{ lags: { hour: [1, 2] } }, { features: { hour: features } }]) {
      const reshaped = await complete({ ...last, modes: named }, { ...asked, ...sides, ...merge })
      const hand = await complete(handTrain, { ...asked, ...sides })
      expect(bytesOf(reshaped.model)).toBe(bytesOf(hand.model))
      expect(bytesOf(reshaped.model)).not.toBe(bytesOf(without.model))
    }
  })

  it('trials of lags use the reshaped modes', async () => {
    const asked = { ...options, epochs: 300, lags: { hour: [1] } }
    const reshaped = await complete(train, { ...asked, ...merge, validation })
    const hand = await complete(handTrain, { ...asked, validation: mergePairs(validation) })
    expect(reshaped.choice).toEqual(hand.choice)
    expect(reshaped.choice!.trials.length).toBeGreaterThan(1)
    expect(reshaped.model.reshaping).toEqual({ mergeModes: [[0, 2]], split: [] })
  })

  it('features of merged modes, and lags of a mode that is merged with others, are refused', async () => {
    const refused = (given: RunOptions) => refusal(complete(train, { ...options, ...arrange, ...given }))
    expect(await refused({ lags: { to: [1] } })).toBe(
      'lags is of to, but the merged mode from+to is no stretch of time in it; name the modes that are merged from the slowest to the fastest, as in day+slot=1,24, or leave one of them out.',
    )
    expect(await refused({ features: { to: { columns: 1, values: new Float32Array(5) } } })).toBe(
      'features is of mode to, which is merged or split; leave one of them out.',
    )
  })
})

/** The tensor with from and to merged into the first mode. */
function mergePairs({ indices: [from, hour, to], values }: SparseTensor): SparseTensor {
  const both = from.map((i, e) => 5 * i + to[e])
  return { dims: [30, 50], indices: [both, hour], values, modes: [{ name: 'pair' }, { name: 'hour' }] }
}

describe('what was learned so far', () => {
  it('a saved run with reshaped modes resumes with the same bits, and refuses another reshaping', async () => {
    const { train } = parts
    const run = await Run.start(train, { ...options, ...arrange })
    await run.advance()
    const saved = decodeRun(Buffer.concat(encodeRun(await run.state())), 'a.run')
    while (await run.advance());
    const whole = (await run.result()).model
    await run.close()

    const resumed = await Run.resume(saved, train)
    while (await resumed.advance());
    expect(bytesOf((await resumed.result()).model)).toBe(bytesOf(whole))
    await resumed.close()

    const other = (given: RunOptions) => refusal(Run.resume(saved, train, given))
    expect(await other({ mergeModes: [] })).toBe(
      "The run was saved with mergeModes: '1,3', and now it is left out; leave it as it was, or start anew.",
    )
    expect(await other({ ...arrange, split: [{ mode: 1, into: 10 }] })).toBe(
      "The run was saved with split: '2:12', and now it is 2:10; leave it as it was, or start anew.",
    )
    // Checkpoints of versions without reshaping have no such settings.
    const { mergeModes, split, ...before } = (await plainState(train)).settings
    const old = { ...(await plainState(train)), settings: before as typeof saved.settings }
    const plain = decodeRun(Buffer.concat(encodeRun(old)), 'old.run')
    expect(await refusal(Run.resume(plain, train, arrange))).toContain(
      'saved without mergeModes, and now it is 1,3;',
    )
  })

  it('an initial model is accepted with the same reshaping only', async () => {
    const { train } = parts
    const { model } = await complete(train, { ...options, ...arrange, epochs: 3 })
    const more = await complete(train, { initial: model, epochs: 3 })
    expect(more.model.reshaping).toEqual(model.reshaping)
    expect(more.train.rmse).toBeLessThan(model.error(train).rmse)
    expect(await refusal(complete(train, { initial: model, mergeModes: [[0, 2]] }))).toBe(
      "The initial model was learned with split: '2:12', and now it is without split; leave both mergeModes and split out to go on as it was.",
    )
    const factors = model.factors.map((factor) => factor.slice())
    expect((await complete(train, { initial: factors, rank: 3, ...arrange, epochs: 1 })).model.dims).toEqual([
      6, 50, 5,
    ])
  })
})

/** The state of a run without reshaping, before its first round. */
async function plainState(train: SparseTensor) {
  const run = await Run.start(train, { ...options, epochs: 2 })
  const state = await run.state()
  await run.close()
  return state
}
