/** The quick run of the studio's worker, in Node. */
import { synthetic } from 'lacuna'
import { expect, it } from 'vitest'
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
