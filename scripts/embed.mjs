// Puts into dist/embedded what other packages keep in files beside their code: the kernels, each in a module of its own,
// and the worker's program. Bundlers follow imports; files that code looks for at run time they lose.
// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

const EMBEDDED = 'dist/embedded'
const STAMP = `${EMBEDDED}/built-from`
/** All that worker.js may import. */
const WORKER_SOURCES = ['dist/engine', 'dist/engine/cpu', 'dist/kernels', 'dist/tensor', 'dist']

/** @param {readonly number[]} ranks @param {string} kernels the folder of their modules */
export async function embed(ranks, kernels) {
  const stamp = hashOfSources(kernels)
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  mkdirSync(EMBEDDED, { recursive: true })
  for (const rank of ranks) {
    const text = deflateRawSync(readFileSync(`${kernels}/rank${rank}.wasm`), { level: 9 }).toString('base64')
    writeFileSync(`${EMBEDDED}/rank${rank}.js`, `export default '${text}'\n`)
  }
  const table = ranks.map((rank) => `  ${rank}: () => import('./rank${rank}.js'),\n`).join('')
  writeFileSync(`${EMBEDDED}/kernels.js`, `export const kernels = {\n${table}}\n`)
  writeFileSync(
    `${EMBEDDED}/worker.js`,
    `export const workerSource = ${JSON.stringify(await bundleWorker('dist/engine/cpu/worker.js'))}\n`,
  )
  writeFileSync(STAMP, stamp)
}

/** A worker's program and all that it imports, as one script. @param {string} entry @returns {Promise<string>} */
export async function bundleWorker(entry) {
  const { build } = await import('vite')
  const built = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      minify: false, // what it throws should name its functions; comments go all the same
      rolldownOptions: { output: { minify: { compress: true, mangle: false, codegen: true } } },
      lib: { entry, formats: ['iife'], name: 'lacunaWorker' },
    },
  })
  const [{ output }] = /** @type {import('vite').Rollup.RollupOutput[]} */ (built)
  if (output.length > 1)
    throw new Error('The worker must be one script; it imports something only when it runs.')
  return output[0].code
}

/** @param {string} kernels */
function hashOfSources(kernels) {
  const hash = createHash('sha256')
    .update(readFileSync('package-lock.json'))
    .update(readFileSync('scripts/embed.mjs'))
  hash.update(readFileSync(`${kernels}/built-from`))
  for (const folder of WORKER_SOURCES)
    for (const file of readdirSync(folder).sort())
      if (file.endsWith('.js')) hash.update(file).update(readFileSync(`${folder}/${file}`))
  return hash.digest('hex')
}
