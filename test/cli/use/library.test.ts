import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { CpEnsemble } from '#lacuna/folds.js'
import { CpModel, complete, readModel, synthetic, tensorFromRecords, writeModel } from '#lacuna/index.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-library-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { tensor } = synthetic({ dims: [12, 10, 8], entries: 600, rank: 2, snrDb: 20, seed: 1 })

it('readModel opens what writeModel wrote, a model or an ensemble, which has a rank', async () => {
  const path = join(folder, 'm.npz')
  const { model } = await complete(tensor, { rank: 3, epochs: 4 })
  await writeModel(path, model)
  expect(await readModel(path)).toBeInstanceOf(CpModel)
  // Without a signal, the result is there: no check for undefined is needed.
  const folded = await complete(tensor, { rank: 3, epochs: 4, folds: 2 })
  await writeModel(path, folded.model)
  const read = await readModel(path)
  expect(read).toBeInstanceOf(CpEnsemble)
  expect(read.rank).toBe(3)
  expect(read.predict([1, 2, 3])).toBeCloseTo(folded.model.predict([1, 2, 3]), 5)
  await expect(readModel(path, 'single')).rejects.toThrow('ensemble')
})

it('a fold that a signal interrupts is undefined, and typed so', async () => {
  const result = await complete(tensor, { rank: 2, folds: 2, signal: AbortSignal.abort() })
  // @ts-expect-error it may be undefined
  void (() => result.model)
  expect(result).toBeUndefined()
})

it("rank: 'auto' finds the rank by cross-validation, for one model and for folds", async () => {
  const one = await complete(tensor, { rank: 'auto' })
  expect(one.ranks?.trials.length).toBeGreaterThan(1)
  expect(one.model.rank).toBe(one.ranks?.chosen.rank)
  expect(one.model.rank).toBe(2)
  expect(one.model.training.ranks).toEqual(one.ranks?.trials)
  const folded = await complete(tensor, { rank: 'auto', folds: 3 })
  expect(folded.choice?.chosen.rank).toBe(folded.model.rank)
  await expect(complete(tensor, { rank: 'auto', initial: one.model })).rejects.toThrow(
    'leave one of them out',
  )
  // @ts-expect-error another word is no rank
  await expect(complete(tensor, { rank: 'best' })).rejects.toThrow('rank')
})

it('with the names of its modes as a type, a misspelt mode does not compile', async () => {
  const stars = await tensorFromRecords(
    ['a', 'b', 'c'].flatMap((user, u) => ['x', 'y'].map((film, f) => ({ user, film, stars: u + f + 1 }))),
    { modes: ['user', 'film'], value: 'stars' },
  )
  const { model } = await complete<'user' | 'film'>(stars, { rank: 1 })
  const y = model.predict({ user: 'a', film: 'x' })
  expect(model.foldIn([{ user: 'd', film: 'x', stars: 2 }]).predict({ user: 'a', film: 'x' })).toBeCloseTo(
    y,
    5,
  )
  expect(model.top({ for: { user: 'a' }, of: 'film' })).toHaveLength(2)
  // @ts-expect-error there is no mode usr
  expect(() => model.predict({ usr: 'a', film: 'x' })).toThrow('user')
  // @ts-expect-error there is no mode movie
  expect(() => model.top({ for: { user: 'a' }, of: 'movie' })).toThrow('movie')
  // @ts-expect-error there is no mode usr
  expect(() => model.top({ for: { usr: 'a' }, of: 'film' })).toThrow('usr')
  // @ts-expect-error a label is missing
  expect(() => model.predict({ user: 'a' })).toThrow('film')
  // Without names, any compile, as before.
  const { model: loose } = await complete(stars, { rank: 1 })
  expect(() => loose.predict({ usr: 'a', film: 'x' })).toThrow('user')
})
