import { configDefaults, defineConfig } from 'vitest/config'

/** Many processes on few cores: beside them, other tests would see a machine that is always busy. */
const jobs = ['test/cli/mpi.test.ts', 'test/lacuna/engine/mpi/**/*.test.ts', 'test/golden/mpi.test.ts']

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/watchdog.ts'],
    // Most tests start worker threads of their own: more files at a time would only make them wait.
    maxWorkers: 2,
    // The library is tested as it was built: Node loads it itself, which is also faster.
    server: { deps: { external: [/\/dist\//] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'one process',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...jobs],
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'several processes', include: jobs, sequence: { groupOrder: 1 } } },
    ],
  },
})
