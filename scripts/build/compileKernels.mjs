// Compiles the AssemblyScript kernels: kernels/solve once per padded rank, on several threads, and kernels/text and kernels/folds once.
// @ts-check
import { mkdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { CACHE, DIST, SOURCES } from './paths.mjs'
import { runIfChanged } from './stamp.mjs'

export const KERNELS = `${CACHE}/kernels`
const SOLVE = `${SOURCES}/kernels/solve`
export const TEXT = `${SOURCES}/kernels/text`
export const FOLDS = `${SOURCES}/kernels/folds`

if (!isMainThread) await compileRanks()

/** @param {readonly number[]} paddedRanks @param {(line: string) => unknown} say */
export async function compileKernels(paddedRanks, say) {
  await runIfChanged({
    name: 'kernels',
    inputs: [SOLVE, `${DIST}/engine/cpu/threads/kernel.js`],
    outputs: [KERNELS],
    async work() {
      say(`Compiling the kernels for ${paddedRanks.length} ranks …`)
      mkdirSync(KERNELS, { recursive: true })
      // Large ranks compile slowest: they go first, round robin, so that every worker gets some of them.
      const ranks = [...paddedRanks].reverse()
      const workers = Math.min(availableParallelism(), 8)
      const assigned = Array.from({ length: workers }, (_, w) => ranks.filter((_, i) => i % workers === w))
      const errors = (await Promise.all(assigned.map(runCompiler))).flat()
      if (errors.length > 0) {
        console.error(errors[0])
        process.exit(1)
      }
    },
  })
}

/** @param {number[]} ranks @returns {Promise<string[]>} the errors of asc */
function runCompiler(ranks) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: ranks })
    worker.once('message', resolve).once('error', reject)
  })
}

async function compileRanks() {
  const { main } = await import('assemblyscript/asc')
  const errors = []
  for (const rank of workerData) {
    const { error, stderr } = await main([
      ...[`${SOLVE}/index.ts`, '--outFile', `${KERNELS}/rank${rank}.wasm`, '--use', `RANK=${rank}`],
      ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd,threads'],
      ...['--importMemory', '--sharedMemory', '--initialMemory', '1', '--maximumMemory', '65536'],
    ])
    if (error) errors.push(`${stderr.toString()}\n${error.message}`)
  }
  parentPort?.postMessage(errors)
}

/** A kernel that is one module for all ranks. @param {string} sources its folder @returns {Promise<Buffer>} */
export async function compileKernel(sources) {
  const { main } = await import('assemblyscript/asc')
  const file = `${CACHE}/${basename(sources)}.wasm`
  const { error, stderr } = await main([
    ...[`${sources}/index.ts`, '--outFile', file],
    ...['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'],
  ])
  if (error) throw new Error(`${stderr.toString()}\n${error.message}`)
  return readFileSync(file)
}
