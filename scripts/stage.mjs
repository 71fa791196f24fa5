// Before npm packs a package: builds it and copies the files that lie at the root of the repository into it.
// lacuna-cli has the library bundled into it instead of a dependency, so that it is installed by one command from
// wherever it is and always has the version of the library it was made for.
// @ts-check
import { spawnSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const shared = { lacuna: ['LICENSE', 'CHANGELOG.md', 'README.md'], cli: ['LICENSE', 'CHANGELOG.md'] }

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(shared)
const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--quiet'], { stdio: ['ignore', 2, 2] })
if (status !== 0) process.exit(1)
for (const name of names)
  for (const file of shared[/** @type {'lacuna' | 'cli'} */ (name)])
    copyFileSync(file, `packages/${name}/${file}`)
if (names.includes('cli')) {
  // npm installs the manual page with the command.
  const { stdout } = spawnSync(process.execPath, ['packages/cli/dist/lacuna.js', 'man'], { encoding: 'utf8' })
  if (!stdout.startsWith('.TH')) process.exit(1)
  writeFileSync('packages/cli/lacuna.1', stdout)
}
