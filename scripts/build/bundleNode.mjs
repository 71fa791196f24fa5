// Bundles the command line into packages/cli/dist, and the benchmarks into bench/dist: a few files instead of several hundred
// modules, which take longer to load than most commands take to run.
// @ts-check
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { BENCH_DIST, CLI_DIST, DIST, FIGURES, STUDIO_POLICY } from './paths.mjs'
import { runIfChanged } from './stamp.mjs'

/** Worker threads of an MPI job import this module by its address, so it stays a file of its own beside the program. */
const MPI = { mpiExchange: `${DIST}/comm/mpi/mpiExchange.js` }

/** The programs of the threads of `lacuna serve`, which it starts by their names beside the program. */
const SERVE = {
  serveAnswers: 'packages/cli/src/commands/serve/threads/answerThread.ts',
  serveWriter: 'packages/cli/src/commands/serve/threads/writerThread.ts',
}

export const bundleCli = () =>
  runIfChanged({
    name: 'cli',
    inputs: ['packages/cli/src', FIGURES, STUDIO_POLICY, DIST],
    outputs: [`${CLI_DIST}/lacuna.js`],
    async work() {
      await bundle(CLI_DIST, { lacuna: 'packages/cli/src/main.ts', ...SERVE, ...MPI })
      chmodSync(`${CLI_DIST}/lacuna.js`, 0o755)
    },
  })

/** `readTableAlone` runs in a process of its own, so that its peak memory can be measured. */
export const bundleBench = () =>
  runIfChanged({
    name: 'bench',
    inputs: ['bench/src', 'packages/cli/src', FIGURES, STUDIO_POLICY, DIST],
    outputs: [`${BENCH_DIST}/bench.js`],
    work: () =>
      bundle(BENCH_DIST, {
        bench: 'bench/src/main.ts',
        readTableAlone: 'bench/src/measure/readTableAlone.ts',
        ...MPI,
      }),
  })

/** @param {string} outDir @param {Record<string, string>} input entries by name */
async function bundle(outDir, input) {
  removeScripts(outDir)
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { external: true, noExternal: ['lacuna', 'lacuna-figures', 'lacuna-studio'] },
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false, // the studio lies in a folder below it
      target: 'es2022',
      minify: false, // stack traces should name functions
      rolldownOptions: {
        input,
        // All in one folder: what a module looks for beside itself is beside the file that it has become part of.
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
}

/** The scripts of the last time, whose names have other hashes. @param {string} folder */
function removeScripts(folder) {
  if (!existsSync(folder)) return
  for (const file of readdirSync(folder)) if (file.endsWith('.js')) rmSync(`${folder}/${file}`)
}
