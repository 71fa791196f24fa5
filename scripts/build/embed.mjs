// Writes dist/embedded: kernels and worker programs as JavaScript modules. Bundlers follow imports; files that code looks for
// at run time they lose.
// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { compileKernel, FOLDS, KERNELS, TEXT } from './compileKernels.mjs'
import { DIST } from './paths.mjs'
import { runIfChanged } from './stamp.mjs'

const EMBEDDED = `${DIST}/embedded`
const library = (/** @type {string[]} */ ...folders) => folders.map((folder) => `${DIST}/${folder}`)

/** The engine's kernels, each in a module of its own, and the program of its worker threads. @param {readonly number[]} ranks */
export async function embedEngine(ranks) {
  await runIfChanged({
    name: 'embedded-engine',
    inputs: [KERNELS, ...library('base', 'comm', 'engine', 'kernels', 'tensor')],
    outputs: library('embedded/kernels.js', 'embedded/worker.js'),
    async work() {
      mkdirSync(EMBEDDED, { recursive: true })
      for (const rank of ranks) {
        const wasm = readFileSync(`${KERNELS}/rank${rank}.wasm`)
        const text = deflateRawSync(wasm, { level: 9 }).toString('base64')
        writeFileSync(`${EMBEDDED}/rank${rank}.js`, `export default '${text}'\n`)
      }
      const table = ranks.map((rank) => `  ${rank}: () => import('./rank${rank}.js'),\n`).join('')
      writeFileSync(`${EMBEDDED}/kernels.js`, `export const kernels = {\n${table}}\n`)
      await embedWorker('worker', 'workerSource', 'engine/cpu/threads/worker.js')
    },
  })
}

/** The kernel that parses text, and the program of the threads that read files. */
export async function embedReading() {
  await runIfChanged({
    name: 'embedded-reading',
    inputs: [TEXT, ...library('base', 'comm', 'tensor', 'io')],
    outputs: library('embedded/textKernel.js', 'embedded/readingWorker.js'),
    async work() {
      mkdirSync(EMBEDDED, { recursive: true })
      await embedKernel('textKernel', TEXT)
      await embedWorker('readingWorker', 'readingWorkerSource', 'io/drive/threads/worker.js')
    },
  })
}

/** The kernel of the stages from models to an ensemble. */
export async function embedFolds() {
  await runIfChanged({
    name: 'embedded-folds',
    inputs: [FOLDS],
    outputs: library('embedded/foldKernel.js'),
    async work() {
      mkdirSync(EMBEDDED, { recursive: true })
      await embedKernel('foldKernel', FOLDS)
    },
  })
}

/** Writes a module that exports a kernel in base64. @param {string} name of module and export @param {string} sources */
async function embedKernel(name, sources) {
  const wasm = await compileKernel(sources)
  writeFileSync(`${EMBEDDED}/${name}.js`, `export const ${name} = '${wasm.toString('base64')}'\n`)
}

/** @param {string} module @param {string} name of the export @param {string} entry of the worker's program, below dist */
async function embedWorker(module, name, entry) {
  const source = JSON.stringify(await bundleWorker(`${DIST}/${entry}`))
  writeFileSync(`${EMBEDDED}/${module}.js`, `export const ${name} = ${source}\n`)
}

/** A worker's program and all that it imports, as one script. @param {string} entry @returns {Promise<string>} */
async function bundleWorker(entry) {
  const { build } = await import('vite')
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      minify: false, // stack traces should name functions; comments are dropped all the same
      rolldownOptions: { output: { minify: { compress: true, mangle: false, codegen: true } } },
      lib: { entry, formats: ['iife'], name: 'lacunaWorker' },
    },
  })
  const [{ output }] = /** @type {import('vite').Rollup.RollupOutput[]} */ (built)
  if (output.length > 1)
    throw new Error('The worker must be one script, but it imports a module dynamically.')
  return output[0].code
}
