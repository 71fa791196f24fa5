// Bundles the command line into dist/bin: a few files instead of some hundred modules, which take longer to load than most
// commands to run. Only when something that it is made of has changed.
// @ts-check
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { filesUnder } from './filesUnder.mjs'

export const BIN = 'dist/bin'
const CACHE = 'node_modules/.cache/lacuna'
const STAMP = `${CACHE}/bin-built-from`

/** What is begun by its address: the command itself, what MPI's threads load, and the process that bench io measures. */
const ENTRIES = {
  lacuna: 'dist/cli/main.js',
  mpiExchange: 'dist/engine/mpi/mpiExchange.js',
  tableReading: 'dist/bench/tableReading.js',
}

export async function bundleCli() {
  const stamp = hashOfSources()
  if (existsSync(BIN) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  const { build } = await import('vite')
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { external: true },
    build: {
      ssr: true,
      outDir: BIN,
      target: 'es2022',
      minify: false, // what is thrown should name its functions
      rolldownOptions: {
        input: ENTRIES,
        // All in one folder: what is looked for beside a module is beside the file that it has become part of.
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  })
  chmodSync(`${BIN}/lacuna.js`, 0o755)
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(STAMP, stamp)
}

function hashOfSources() {
  const hash = createHash('sha256')
  const compiled = filesUnder('dist').filter(
    (file) => /\.js$/.test(file) && !/^dist.(studio|bin)\b/.test(file),
  )
  for (const file of ['package-lock.json', 'scripts/bundleCli.mjs', ...compiled])
    hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}
