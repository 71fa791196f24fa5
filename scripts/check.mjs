// Style and types of everything: biome, then tsc for each program that is only type-checked here.
// @ts-check
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

run('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings')
for (const project of ['packages/figures', 'packages/cli', 'packages/studio', 'test'])
  run('node_modules/typescript/bin/tsc', '-p', project)

/** @param {string[]} args of node */
function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
