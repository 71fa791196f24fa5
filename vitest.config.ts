import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Most tests start worker threads of their own: more files at a time would only make them wait.
    maxWorkers: 2,
  },
})
