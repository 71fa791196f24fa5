// Bundles the studio into packages/cli/dist/studio, from where `lacuna studio` serves it.
// @ts-check
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { drawIcons, writeServiceWorker } from './offlineCopy.mjs'
import { CACHE, DIST, FIGURES, STUDIO_DIST, STUDIO_POLICY } from './paths.mjs'
import { hashOf, runIfChanged } from './stamp.mjs'
import { addWorkerLicenses } from './workerLicenses.mjs'

const SAMPLE_SIZE = [720, 480]

/** @param {(line: string) => unknown} say */
export async function bundleStudio(say) {
  await runIfChanged({
    name: 'studio',
    inputs: [
      ...['packages/studio/src', 'packages/studio/public'],
      ...['packages/studio/index.html', 'packages/studio/vite.config.ts', 'packages/studio/package.json'],
      ...['scripts/build/offlineCopy.mjs', 'scripts/build/workerLicenses.mjs'],
      ...[STUDIO_POLICY, FIGURES, DIST],
    ],
    outputs: [`${STUDIO_DIST}/index.html`],
    async work() {
      say('Bundling the studio …')
      const { build } = await import('vite')
      await build({ configFile: 'packages/studio/vite.config.ts', logLevel: 'warn' })
      addWorkerLicenses()
      copyFileSync(await drawSample(), `${STUDIO_DIST}/sample.png`)
      await drawIcons()
      await writeServiceWorker()
    },
  })
}

/** The picture that the studio begins with, drawn beforehand since that takes a second or two; only when it has changed. */
async function drawSample() {
  const path = `${CACHE}/sample-${hashOf([`${DIST}/image`]).slice(0, 16)}.png`
  if (existsSync(path)) return path
  const library = new URL('../../packages/lacuna/dist/', import.meta.url)
  const { drawFacade } = await import(new URL('internal.js', library).href)
  const { writePng } = await import(new URL('image.js', library).href)
  mkdirSync(CACHE, { recursive: true })
  await writePng(path, drawFacade(...SAMPLE_SIZE))
  return path
}
