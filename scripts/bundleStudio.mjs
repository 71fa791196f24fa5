// Bundles the studio into dist/studio by Vite; only when a source of it or of the library has changed.
// @ts-check
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { filesUnder } from './filesUnder.mjs'

const STUDIO = 'dist/studio'
const CACHE = 'node_modules/.cache/lacuna'
const STAMP = `${CACHE}/studio-built-from`
const SAMPLE_SIZE = [720, 480]

/** @param {(line: string) => unknown} say */
export async function bundleStudio(say) {
  const stamp = hashOfSources()
  if (existsSync(STUDIO) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  say('Bundling the studio …')
  const { build } = await import('vite')
  await build({ configFile: 'studio/vite.config.ts', logLevel: 'warn' })
  copyFileSync(await drawSample(), `${STUDIO}/sample.png`)
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(STAMP, stamp)
}

/** The picture that the studio begins with, drawn beforehand since that takes a second or two; only when it has changed. */
async function drawSample() {
  const hash = createHash('sha256')
  for (const file of filesUnder('dist/image')) if (file.endsWith('.js')) hash.update(readFileSync(file))
  const path = `${CACHE}/sample-${hash.digest('hex').slice(0, 16)}.png`
  if (existsSync(path)) return path
  const { drawFacade } = await import(new URL('../dist/image/index.js', import.meta.url).href)
  const { writePng } = await import(new URL('../dist/io/node/imageFile.js', import.meta.url).href)
  mkdirSync(CACHE, { recursive: true })
  await writePng(path, drawFacade(...SAMPLE_SIZE))
  return path
}

/** The studio bundles what tsc and asc have made, so its own sources alone would not tell. */
function hashOfSources() {
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', ...filesUnder('studio'), ...filesUnder('dist').filter(isLibrary)])
    hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

/** @param {string} file */
function isLibrary(file) {
  return /\.(js|wasm)$/.test(file) && !/^dist.(studio|bin|cli|bench|io.node)\b/.test(file)
}
