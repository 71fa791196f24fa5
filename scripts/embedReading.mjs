// Puts into dist/embedded what reading in parallel needs: the kernel that parses text, compiled by asc, and the program of the
// threads that read, as one script.
// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { bundleWorker } from './embed.mjs'

const EMBEDDED = 'dist/embedded'
const STAMP = `${EMBEDDED}/reading-built-from`
const KERNEL = 'src/io/kernels'
/** All that the worker may import. */
const WORKER_SOURCES = [
  ...['dist', 'dist/tensor', 'dist/io/node/parallel', 'dist/io/table', 'dist/io/text', 'dist/io/tns'],
  'dist/io/node/files',
]

export async function embedReading() {
  const stamp = hashOfSources()
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  mkdirSync(EMBEDDED, { recursive: true })
  const wasm = await compileKernel()
  writeFileSync(`${EMBEDDED}/textKernel.js`, `export const textKernel = '${wasm.toString('base64')}'\n`)
  const worker = JSON.stringify(await bundleWorker('dist/io/node/parallel/worker.js'))
  writeFileSync(`${EMBEDDED}/readingWorker.js`, `export const readingWorkerSource = ${worker}\n`)
  writeFileSync(STAMP, stamp)
}

/** @returns {Promise<Buffer>} */
async function compileKernel() {
  const { main } = await import('assemblyscript/asc')
  const file = `${EMBEDDED}/text.wasm`
  const { error, stderr } = await main([
    ...[
      `${KERNEL}/index.ts`,
      '--outFile',
      file,
      '-O3',
      '--noAssert',
      '--runtime',
      'stub',
      '--enable',
      'simd',
    ],
  ])
  if (error) throw new Error(`${stderr.toString()}\n${error.message}`)
  return readFileSync(file)
}

function hashOfSources() {
  const hash = createHash('sha256').update(readFileSync('package-lock.json'))
  for (const script of ['embed', 'embedReading']) hash.update(readFileSync(`scripts/${script}.mjs`))
  for (const folder of [KERNEL, ...WORKER_SOURCES])
    for (const file of readdirSync(folder).sort())
      if (/\.(js|ts)$/.test(file) && !file.endsWith('.d.ts'))
        hash.update(file).update(readFileSync(`${folder}/${file}`))
  return hash.digest('hex')
}
