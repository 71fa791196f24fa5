// @ts-check
import { rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'vite'

/** Bundles sources of the studio and the command line that read files, which Node cannot import as they are. */
export async function bundleSources() {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const dir = `${root}node_modules/.cache/lacuna/fuzz-bundle-${process.pid}`
  const entry = {
    openFile: `${root}packages/studio/src/complete/worker/openFile.ts`,
    sessionFile: `${root}packages/studio/src/complete/state/sessionFile.ts`,
    hashStream: `${root}packages/studio/src/complete/worker/hashStream.ts`,
    packFiles: `${root}packages/studio/src/complete/worker/packFiles.ts`,
    unzip: `${root}packages/cli/src/datasets/unzip.ts`,
  }
  await build({
    ...{ configFile: false, logLevel: 'silent', root },
    build: {
      ...{ outDir: dir, emptyOutDir: true, minify: false },
      lib: { entry, formats: ['es'] },
      rolldownOptions: { external: [/^(lacuna|node:[^/]+)(\/|$)/] },
    },
  })
  const names = Object.keys(entry)
  const modules = await Promise.all(names.map((name) => import(pathToFileURL(`${dir}/${name}.js`).href)))
  rmSync(dir, { recursive: true })
  return Object.fromEntries(names.map((name, n) => [name, modules[n]]))
}
