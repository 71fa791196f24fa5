import { expect, it } from 'vitest'
import { relatedTests } from '../scripts/relatedTests.mjs'

it('tests related to a source are those that import it and those of the folder that mirrors it', () => {
  const found = relatedTests(['packages/lacuna/src/engine/cpu/setup/place/packing.ts'])
  expect(found).toContain('test/lacuna/engine/cpu/packing.test.ts')
  expect(found).toContain('test/lacuna/engine/cpu/segments.test.ts')
  expect(found).not.toContain('test/lacuna/engine/mpi/mpiEngine.test.ts')
  expect(found).not.toContain('test/studio/restore/restore.test.ts')
})

it('a changed test is related to itself, and one behind a helper to the helper', () => {
  expect(relatedTests(['test/lacuna/engine/mpi/job.ts'])).not.toContain('test/lacuna/base/random.test.ts')
  expect(relatedTests(['test/cli/mpi.test.ts'])).toContain('test/cli/mpi.test.ts')
  expect(relatedTests(['test/cli/lacuna.ts'])).toContain('test/cli/folds.test.ts')
  expect(relatedTests([])).toEqual([])
})
