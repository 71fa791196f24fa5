// Builds dist/: the library and CLI by tsc, one wasm module per padded rank by asc, both made fit for bundlers, and by Vite
// the command in few files, and the studio.
// All are incremental: tsc keeps its own state; the others are built again only when a source changed.
// @ts-check
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { BIN, bundleCli } from './bundleCli.mjs'
import { bundleStudio } from './bundleStudio.mjs'
import { embed } from './embed.mjs'
import { embedReading } from './embedReading.mjs'

if (isMainThread) process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const KERNELS = 'dist/kernels'
const STAMP = `${KERNELS}/built-from`

if (isMainThread) {
  // Quietly still tells of the slow steps when they are needed: nobody should look at nothing for a quarter of a minute.
  const quiet = process.argv.includes('--quiet')
  const say = (/** @type {string} */ line) => console.error(line)
  const start = performance.now()
  if (!existsSync('dist')) rmSync('node_modules/.cache/lacuna', { recursive: true, force: true })
  compileTypeScript()
  const { paddedRanks } = await import(new URL('../dist/engine/cpu/kernel.js', import.meta.url).href)
  await compileKernels(paddedRanks, say)
  await embed(paddedRanks, KERNELS)
  await embedReading()
  await bundleCli()
  await bundleStudio(say)
  if (!quiet) say(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s.`)
} else {
  await compileRanks()
}

function compileTypeScript() {
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', '.'], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(1)
  sweepOrphans('dist', 'src')
}

/**
 * Removes what was compiled from sources that are gone: else what still imports them works here and nowhere else.
 * @param {string} compiled @param {string} sources
 */
function sweepOrphans(compiled, sources) {
  for (const entry of readdirSync(compiled, { withFileTypes: true })) {
    const path = `${compiled}/${entry.name}`
    if ([KERNELS, BIN, 'dist/embedded', 'dist/studio'].includes(path)) continue
    const source = `${sources}/${entry.name.replace(/(\.d\.ts|\.js)$/, '.ts')}`
    if (!existsSync(source)) rmSync(path, { recursive: true })
    else if (entry.isDirectory()) sweepOrphans(path, source)
  }
}

/** @param {readonly number[]} paddedRanks @param {(line: string) => unknown} say */
async function compileKernels(paddedRanks, say) {
  const stamp = hashOfKernelSources()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  say(`Compiling the kernels for ${paddedRanks.length} ranks …`)
  mkdirSync(KERNELS, { recursive: true })
  // Large ranks first, dealt round: every worker gets its share of the slow ones.
  const ranks = [...paddedRanks].reverse()
  const workers = Math.min(availableParallelism(), 8)
  const shares = Array.from({ length: workers }, (_, w) => ranks.filter((_, i) => i % workers === w))
  const results = await Promise.all(shares.map(runCompiler))
  const complaints = results.flat()
  if (complaints.length > 0) {
    console.error(complaints[0])
    process.exit(1)
  }
  writeFileSync(STAMP, stamp)
}

/** @param {number[]} ranks @returns {Promise<string[]>} what asc complained about */
function runCompiler(ranks) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: ranks })
    worker.once('message', resolve).once('error', reject)
  })
}

async function compileRanks() {
  const { main } = await import('assemblyscript/asc')
  const complaints = []
  for (const rank of workerData) {
    const { error, stderr } = await main([
      ...['src/kernels/index.ts', '--outFile', `${KERNELS}/rank${rank}.wasm`, '--use', `RANK=${rank}`],
      ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd,threads'],
      ...['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
    ])
    if (error) complaints.push(`${stderr.toString()}\n${error.message}`)
  }
  parentPort?.postMessage(complaints)
}

function hashOfKernelSources() {
  const hash = createHash('sha256')
  hash.update(readFileSync('package-lock.json')).update(readFileSync('scripts/build.mjs'))
  for (const file of readdirSync('src/kernels').sort()) hash.update(readFileSync(`src/kernels/${file}`))
  hash.update(readFileSync('dist/engine/cpu/kernel.js'))
  return hash.digest('hex')
}
