// Bundles the studio into dist/studio by Vite; only when a source of it or of the library has changed.
// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const STUDIO = 'dist/studio'
const STAMP = 'node_modules/.cache/lacuna/studio-built-from'

/** @param {(line: string) => unknown} say */
export async function bundleStudio(say) {
  const stamp = hashOfSources()
  if (existsSync(STUDIO) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return
  say('Bundling the studio …')
  const { build } = await import('vite')
  await build({ configFile: 'studio/vite.config.ts', logLevel: 'warn' })
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, stamp)
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
  return /\.(js|wasm)$/.test(file) && !/^dist.(studio|cli|bench|io.node)\b/.test(file)
}

/** @param {string} folder @returns {string[]} */
function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
