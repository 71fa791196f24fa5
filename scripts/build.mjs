// Builds the packages: the library by tsc, one wasm module per padded rank by asc, both made fit for bundlers, and by Vite the
// command line, the studio and, if asked for by --bench, the benchmarks.
// Every step is incremental: tsc keeps its own state; the others run again only when a source has changed.
// @ts-check
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleBench, bundleCli } from './build/bundleNode.mjs'
import { bundleStudio } from './build/bundleStudio.mjs'
import { compileKernels } from './build/compileKernels.mjs'
import { embedEngine, embedFolds, embedReading } from './build/embed.mjs'
import { CACHE, DIST, SOURCES } from './build/paths.mjs'
import { resolveDeclarations } from './build/resolveDeclarations.mjs'
import { stripDocComments } from './build/stripDocComments.mjs'
import { thinSourceMaps } from './build/thinSourceMaps.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

// --quiet still reports the slow steps when they are needed: a quarter of a minute without a word is too long.
const quiet = process.argv.includes('--quiet')
const say = (/** @type {string} */ line) => console.error(line)
const start = performance.now()
if (!existsSync(DIST)) rmSync(CACHE, { recursive: true, force: true })
compileTypeScript()
const { paddedRanks } = await import(
  new URL('../packages/lacuna/dist/engine/cpu/threads/kernel.js', import.meta.url).href
)
await compileKernels(paddedRanks, say)
await embedEngine(paddedRanks)
await embedFolds()
await embedReading()
await bundleCli()
await bundleStudio(say)
if (process.argv.includes('--bench')) await bundleBench()
if (!quiet) say(`Built in ${((performance.now() - start) / 1000).toFixed(1)} s.`)

function compileTypeScript() {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', 'packages/lacuna'],
    { stdio: ['ignore', 2, 2] },
  )
  if (status !== 0) process.exit(1)
  removeOrphans(DIST, SOURCES)
  stripDocComments(DIST)
  thinSourceMaps(DIST)
  resolveDeclarations(DIST)
}

/**
 * Removes what was compiled from sources that are gone: otherwise a module that still imports them works here and nowhere else.
 * @param {string} compiled @param {string} sources
 */
function removeOrphans(compiled, sources) {
  for (const entry of readdirSync(compiled, { withFileTypes: true })) {
    const path = `${compiled}/${entry.name}`
    if (path === `${DIST}/embedded`) continue
    const source = `${sources}/${entry.name.replace(/(\.d\.ts|\.js|\.js\.map)$/, '.ts')}`
    if (!existsSync(source)) rmSync(path, { recursive: true })
    else if (entry.isDirectory()) removeOrphans(path, source)
  }
}
