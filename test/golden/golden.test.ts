/**
 * Same bits as the last release: a fixed set of commands, and files that it wrote. bits.json and releases/0.1 were made by that release
 * (commit 365e50b) from the same inputs; they change only with a change of results that the changelog names. Those of `folds` are
 * what that release gives for train.csv with its lines in the order of their labels: its intervals and residuals depended on the
 * order of lines, its factors did not. Those of `validation` are newer: since then sweeps under a learned prior no longer start
 * from the factors with the smallest validation error.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeRun, readModel, resumeRun } from 'lacuna'
import { CpEnsemble, completeByFolds, decodeAnyModel, decodeSearch } from 'lacuna/folds'
import { hideAtRandom, restore } from 'lacuna/image'
import { drawFacade } from 'lacuna/internal'
import { readTable } from 'lacuna/tables'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lacuna } from '../cli/lacuna.ts'
import bits from './bits.json' with { type: 'json' }
import { cases, inputs } from './cases.ts'
import { digest, digestOfArrays, digestOfFactors } from './digests.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-golden-'))
beforeAll(() => {
  for (const [name, text] of Object.entries(inputs())) writeFileSync(join(cwd, name), text)
})
afterAll(() => rmSync(cwd, { recursive: true }))

const golden = (name: string): string => fileURLToPath(new URL(`./releases/0.1/${name}`, import.meta.url))
const readEntries = () =>
  readTable([join(cwd, 'train.csv')], { modes: ['user', 'item', 'day'], value: 'value' })

it.each(Object.entries(cases))(
  'the command "%s" gives the bits of the last release',
  async (name, command) => {
    const run = await lacuna([...command.split(' '), '-q', '-o', `${name}.npz`], { cwd })
    expect(run).toMatchObject({ code: 0 })
    expect(digestOfArrays(join(cwd, `${name}.npz`))).toBe(bits.commands[name as keyof typeof bits.commands])
  },
)

it('a model file of the last release opens, with its labels and prior, and is written back with the same arrays', async () => {
  const model = await readModel(golden('model.npz'), 'single')
  expect(digestOfArrays(golden('model.npz'))).toBe(bits.commands.default)
  expect(model).toMatchObject({ dims: [40, 25, 28], rank: 6 })
  expect(model.labels?.[0]?.slice(0, 2)).toEqual(['u0', 'u1'])
  expect(model.prior).toBeDefined()
})

it('a model of merged and split modes of the last release opens', async () => {
  const model = await readModel(golden('reshaped.npz'), 'single')
  expect(model.dims).toEqual([40, 25, 28])
  expect(model.reshaping).toMatchObject({ mergeModes: [[0, 1]], split: [{ mode: 2, into: [7] }] })
})

it('an ensemble of the last release opens and gives intervals', () => {
  const model = decodeAnyModel(readFileSync(golden('ensemble.npz')), 'ensemble.npz')
  expect(model).toBeInstanceOf(CpEnsemble)
  expect((model as CpEnsemble).members).toHaveLength(3)
  const { low, high } = (model as CpEnsemble).interval([1, 2, 3], 0.9)
  expect(high).toBeGreaterThan(low)
})

it('a run that the last release saved goes on to the bits it would have reached there', async () => {
  const tensor = await readEntries()
  expect(decodeRun(readFileSync(golden('run.run')), 'run.run').progress.reports.length).toBeGreaterThan(0)
  const run = await resumeRun(golden('run.run'), tensor, { threads: 1 })
  for await (const _ of run);
  const { model } = await run.result()
  await run.close()
  expect(digestOfFactors(model.factors)).toBe(bits.resumedRun)
})

it('a search by folds that the last release saved goes on to the bits it would have reached there', async () => {
  const saved = decodeSearch(readFileSync(golden('search.run')), 'search.run')
  const options = { rank: 3, seed: 5, epochs: 5, threads: 1 }
  const found = await completeByFolds(await readEntries(), options, {
    folds: 3,
    checkpointing: { saved, every: Infinity, save: async () => {} },
  })
  expect(digestOfFactors(found!.model.members.flatMap(({ factors }) => factors))).toBe(bits.resumedSearch)
})

it('a picture of which 70% is hidden is restored to the bytes of the last release', async () => {
  const picture = drawFacade(96, 64)
  const known = hideAtRandom(picture, { share: 0.7, seed: 2 })
  const restored = await restore(picture, known, { seed: 1, threads: 1 })
  expect(digest([Uint8Array.from(restored.picture.data)])).toBe(bits.restoredPicture)
})
