/** The quick run of the studio's worker, in Node. */
import { type SparseTensor, synthetic } from 'lacuna'
import { decodeSearch } from 'lacuna/folds'
import { describe, expect, it } from 'vitest'
import type { LearnSettings } from '../../../packages/studio/src/complete/protocol.ts'
import { describeTrial } from '../../../packages/studio/src/complete/worker/learn/describeTrial.ts'
import { startByFolds } from '../../../packages/studio/src/complete/worker/learn/ensemble.ts'
import { startQuick } from '../../../packages/studio/src/complete/worker/learn/quick.ts'
import type { LearnTask } from '../../../packages/studio/src/complete/worker/learn/task.ts'

const { tensor } = synthetic({ dims: [20, 16, 10], entries: 1500, rank: 2, snrDb: 15, seed: 1 })

it('a run that is discarded while its rank is searched does not begin', async () => {
  const discard = new AbortController()
  let epochs = 0
  const learner = startQuick({
    ...{ kind: 'quick', name: 'a.csv', tensor, signal: discard.signal },
    settings: { rank: 'auto', lambda: 'auto', heldOut: 0.1, seed: 1, seconds: 60 },
    onCheckpoint: () => {},
    onEpoch: () => epochs++,
    onTrial: () => discard.abort(),
    onActivity: () => {},
  } as LearnTask)
  discard.signal.addEventListener('abort', () => learner.stop())
  await expect(learner.result).rejects.toThrow('aborted')
  expect(epochs).toBe(0)
})

describe('the verdict of a small table', () => {
  /** Runs quickly on the first entries of a table of products of two numbers. */
  async function learn(entries: number, settings: Partial<LearnSettings> = {}) {
    const cells = Array.from({ length: entries }, (_, n) => [n % 6, (n + Math.floor(n / 6)) % 6])
    const small: SparseTensor = {
      dims: [6, 6],
      indices: [0, 1].map((mode) => Uint32Array.from(cells, (cell) => cell[mode])),
      values: Float32Array.from(cells, ([i, j]) => (1 + i) * (2 + j)),
    }
    const learner = startQuick({
      ...{ kind: 'quick', name: 'a.csv', tensor: small, signal: new AbortController().signal },
      settings: { rank: 1, lambda: 'auto', heldOut: 0.1, seed: 1, seconds: 60, ...settings },
      onCheckpoint() {},
      onEpoch() {},
      onTrial() {},
      onActivity() {},
    } as LearnTask)
    return (await learner.result).extra
  }

  it.each([0, 0.1])('is by folds of all entries where few or none are held out (%s)', async (heldOut) => {
    const { verdict, notJudged } = await learn(30, { heldOut })
    expect(notJudged).toBeUndefined()
    expect(verdict).toMatchObject({ entries: 30, isWorthUsing: true })
    expect(verdict!.text).toMatch(
      /^Learned without each of 10 parts of the entries in turn, the error on what was left out is \d+% below .*\. The table has only 30 entries: a rough verdict\.$/,
    )
    expect(verdict!.baselines.map(({ name }) => name)).toContain('the mean of each mode 1')
  })

  it('is there for a handful of entries, or says that they are too few', async () => {
    for (const entries of [2, 3, 5, 8]) {
      const { verdict, notJudged } = await learn(entries)
      expect(verdict?.text ?? notJudged).toMatch(/rough verdict|only \d entries, too few/)
    }
  })
})

it('a Best run is saved after each of its trials, so that a reload loses none', async () => {
  const positive = { ...tensor, values: tensor.values.map(Math.abs) }
  let trials = 0
  const saved: number[] = []
  const unsaved: number[] = []
  const learner = startByFolds({
    ...{ kind: 'best', name: 'a.csv', tensor: positive, signal: new AbortController().signal },
    settings: { rank: 2, lambda: 'auto', heldOut: 0.1, seed: 1, seconds: 60 },
    onCheckpoint: (bytes) => saved.push(decodeSearch(bytes, 'the checkpoint').trials.length),
    onTrial() {
      if (trials > 0 && saved.at(-1) !== trials) unsaved.push(trials)
      if (++trials === 4) learner.stop()
    },
    onActivity() {},
    onEpoch() {},
  } as LearnTask)
  await learner.result
  expect(trials).toBeGreaterThanOrEqual(4)
  expect(unsaved).toEqual([])
})

it('trials are described in words, with the names of modes', () => {
  const trial = { noise: 'auto', rank: 8, lags: '', features: false } as const
  const tensor = { modes: ['pickup point', 'day', 'hour'].map((name) => ({ name })) }
  expect(describeTrial(trial, tensor)).toBe('rank 8')
  expect(describeTrial({ ...trial, merged: '2,3', lags: '3+2=1,108,756' }, tensor)).toBe(
    'rank 8, day and hour as one mode, rows 1, 108 and 756 apart in hour × day similar',
  )
  expect(
    describeTrial({ ...trial, lags: 'pickup point=1 hour=1,24', timePrior: 'autoregressive' }, tensor),
  ).toBe(
    'rank 8, rows 1 apart in pickup point similar, rows 1 and 24 apart in hour similar, each following from those before',
  )
  expect(describeTrial({ ...trial, merged: '1,2', split: '3:24', link: 'sqrt', noise: 'row' }, {})).toBe(
    'rank 8, noise that differs by row, learned on √x, mode 1 and mode 2 as one mode, mode 3 split into blocks of 24',
  )
})
