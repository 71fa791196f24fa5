// Fills packages/cli with what the package of the command line ships: the bundled
// command and the studio. It has the library in it, not as a dependency, so that it is installed by one command from wherever it
// is, and never meets a version it does not know.
// @ts-check
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const PACKAGE = 'packages/cli'

const { status } = spawnSync(process.execPath, ['scripts/build.mjs', '--quiet'], { stdio: ['ignore', 2, 2] })
if (status !== 0) process.exit(1)
rmSync(`${PACKAGE}/dist`, { recursive: true, force: true })
for (const part of ['bin', 'studio']) cpSync(`dist/${part}`, `${PACKAGE}/dist/${part}`, { recursive: true })
for (const file of ['LICENSE', 'CHANGELOG.md']) copyFileSync(file, `${PACKAGE}/${file}`)
