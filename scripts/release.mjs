// Makes the files of a release in a folder: the tarballs of both npm packages with their lists of components, wheel and source
// archive of the Python package, and the checksums of all files of the folder.
//   npm run release -- FOLDER
// @ts-check
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { componentsOf } from './release/components.mjs'

const target = process.argv[2]
if (!target) {
  console.error('Name a folder for the files of the release: npm run release -- release')
  process.exit(2)
}
const folder = resolve(target)
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
mkdirSync(folder, { recursive: true })
execFileSync(process.execPath, ['scripts/stage.mjs'], { stdio: 'inherit' })
const npm = (/** @type {string[]} */ ...args) =>
  execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
npm('pack', './packages/lacuna', './packages/cli', '--pack-destination', folder, '--ignore-scripts')
for (const [name, path, type] of /** @type {const} */ ([
  ['lacuna', 'packages/lacuna', 'library'],
  ['lacuna-cli', 'packages/cli', 'application'],
]))
  writeFileSync(
    join(folder, `${name}.cdx.json`),
    `${JSON.stringify(componentsOf(process.cwd(), path, type), null, 2)}\n`,
  )
const backend = 'import sys, backend; backend.build_wheel(sys.argv[1]); backend.build_sdist(sys.argv[1])'
execFileSync('python3', ['-B', '-c', backend, folder], {
  env: { ...process.env, PYTHONPATH: 'python/build_backend' },
})
const names = readdirSync(folder)
  .filter((name) => name !== 'SHA256SUMS')
  .sort()
const sums = names.map(
  (name) =>
    `${createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')}  ${name}\n`,
)
writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
process.stdout.write(sums.join(''))
