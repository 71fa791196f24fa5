// Completes the bundled studio for use without a network: the icons of its manifest, and the service worker with the list of
// all files.
// @ts-check
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { filesUnder } from './filesUnder.mjs'
import { STUDIO_DIST } from './paths.mjs'

const ICON = 'packages/studio/src/icon.svg'
const SERVICE_WORKER = 'packages/studio/src/offline/serviceWorker.ts'
/** The icons of the manifest: name, size in pixels, and the margin around the drawing as a fraction of it. */
const ICONS = /** @type {const} */ ([
  ['icon-192.png', 192, 0],
  ['icon-512.png', 512, 0],
  ['icon-maskable.png', 512, 0.14],
])

/** Draws the icons into the bundled studio. */
export async function drawIcons() {
  const { default: sharp } = await import('sharp')
  for (const [name, size, margin] of ICONS) {
    const edge = Math.round(size * margin)
    await sharp(ICON, { density: (72 * size) / 32 })
      .resize(size - 2 * edge)
      .extend({ top: edge, bottom: edge, left: edge, right: edge, background: '#0b6e6e' })
      .png({ palette: true })
      .toFile(`${STUDIO_DIST}/${name}`)
  }
}

/** Bundles sw.js with the list of all files that are there; the page itself is the last. */
export async function writeServiceWorker() {
  const files = filesUnder(STUDIO_DIST)
    .map((path) => relative(STUDIO_DIST, path).replaceAll('\\', '/'))
    .filter((file) => file !== 'sw.js' && file !== 'index.html')
    .sort()
  files.push('index.html')
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(`${STUDIO_DIST}/${file}`))
  const { build } = await import('vite')
  await build({
    ...{ configFile: false, logLevel: 'warn', publicDir: false },
    define: { BUILD: JSON.stringify({ version: hash.digest('hex').slice(0, 16), files }) },
    build: {
      ...{ outDir: STUDIO_DIST, emptyOutDir: false, target: 'es2023', modulePreload: false },
      rolldownOptions: { input: SERVICE_WORKER, output: { entryFileNames: 'sw.js', format: 'iife' } },
    },
  })
}
