// Fills packages/cli with what the package of the command line ships: all of dist that runs. It has the library in it, not as
// a dependency, so that it is installed by one command from wherever it is, and never meets a version it does not know.
// @ts-check
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const PACKAGE = 'packages/cli'

const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--quiet'], { stdio: ['ignore', 2, 2] })
if (status !== 0) process.exit(1)
rmSync(`${PACKAGE}/dist`, { recursive: true, force: true })
cpSync('dist', `${PACKAGE}/dist`, { recursive: true, filter: isShipped })
for (const file of ['LICENSE', 'CHANGELOG.md']) copyFileSync(file, `${PACKAGE}/${file}`)

/** Not: types, the kernels as files (they are embedded), entries for programs, the tests' oracle. @param {string} path */
function isShipped(path) {
  return !/\.d\.ts$|\.wasm$|built-from$|^dist.(subpaths|reference)\b|^dist.(index|browser)\.js$/.test(path)
}
