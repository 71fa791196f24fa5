import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longestFirst.ts'

/**
 * Tests of what a process has for good, such as its idle threads, or gives its children, such as the most memory
 * that it ever had.
 */
const alone = [
  'test/lacuna/base/nodeThreads.test.ts',
  'test/lacuna/io/drive/threads/distinct.test.ts',
  'test/attacks/smallFiles.test.ts',
]

/** Tests in a browser: many processes, whose steps take long where other work shares the machine. */
const browser = ['test/studio/**/*.test.ts']

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/freshModules.ts', 'test/watchdog.ts'],
    // Files share a process, with the library and its compiled kernels: a process for each would cost half a second.
    isolate: false,
    // Many tests wait for processes and browsers: with as many files at a time as there are cores, these would be idle for a fourth of the time.
    maxWorkers: Math.min(4, availableParallelism() + 1),
    // The library is tested as it was built: Node loads it itself, which is also faster.
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'one process',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...alone, ...browser],
        },
      },
      {
        extends: true,
        test: {
          name: 'a browser',
          include: browser,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: { name: 'a process of its own', include: alone, isolate: true },
      },
    ],
  },
})
