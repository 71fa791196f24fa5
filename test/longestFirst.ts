/**
 * The order of test files: those that take longest come first within their project, so that the last minutes of a run
 * have many short files, and no core waits for a long one. The others follow in the order of Vitest.
 */
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Files that take ten seconds or more, the longest first. */
const LONG_FILES = [
  'test/docs/examples.test.ts',
  'test/cli/mpi.test.ts',
  'test/package/package.test.ts',
  'test/lacuna/engine/gpu/gpuEngine.test.ts',
  'test/lacuna/engine/mpi/mpiEngine.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/python/python.test.ts',
  'test/cli/resume.test.ts',
  'test/lacuna/engine/cpu/cpuEngine.test.ts',
  'test/lacuna/solver/methods/prior.test.ts',
  'test/cli/paper.test.ts',
  'test/cli/memory.test.ts',
  'test/lacuna/browser/engine.test.ts',
  'test/lacuna/io/node/recipes.test.ts',
  'test/lacuna/image/restore.test.ts',
  'test/cli/torture.test.ts',
  'test/lacuna/image/regions.test.ts',
  'test/lacuna/solver/select/folds.test.ts',
  'test/package/edge.test.ts',
  'test/studio/restore/restore.test.ts',
  'test/studio/complete/complete.test.ts',
  'test/studio/page.test.ts',
  'test/studio/complete/sessions.test.ts',
  'test/studio/access.test.ts',
  'test/studio/tasks.test.ts',
  'test/studio/complete/runs.test.ts',
]

/** Sorts long files to the front of their project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const missing = LONG_FILES.find((path) => !existsSync(`${root}/${path}`))
    if (missing) throw new Error(`test/longestFirst.ts lists ${missing}, which is not there.`)
    const projects = [...new Set(sorted.map(({ project }) => project.name))]
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONG_FILES.indexOf(relative(root, moduleId))
      return rank < 0 ? LONG_FILES.length : rank
    }
    return sorted.sort(
      (a, b) => projects.indexOf(a.project.name) - projects.indexOf(b.project.name) || rankOf(a) - rankOf(b),
    )
  }
}
