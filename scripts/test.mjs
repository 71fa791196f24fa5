// Everything that must hold: build, lint, types, tests. What the tests need beyond npm packages is installed
// where that is possible (Debian, root) and asked for in one sentence where it is not.
//   npm test                          everything, with a minute of fuzzing beside the tests
//   npm test -- test/lacuna/tensor    some test files, by path, after the same checks
//   npm test -- --changed [REVISION]  only the tests that are related to what differs from a revision, HEAD by default
// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { changedFiles, relatedTests } from './relatedTests.mjs'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const needed = [
  { debian: 'chromium', present: () => existsSync('/usr/bin/chromium') },
  { debian: 'libvulkan1', present: hasVulkan },
  { debian: 'python3-numpy', present: () => works('/usr/bin/python3', '-c', 'import numpy') },
  ...['pandas', 'sklearn', 'xarray', 'pip', 'h5py', 'netCDF4', 'openpyxl', 'zarr'].map((module) => ({
    debian: `python3-${module.toLowerCase()}`,
    present: () => existsSync(`/usr/lib/python3/dist-packages/${module}`),
  })),
  { debian: 'openmpi-bin', present: () => works('mpirun.openmpi', '--version') },
  { debian: 'mpich', present: () => works('mpiexec.mpich', '--version') },
]
const missing = needed.filter(({ present }) => !present()).map(({ debian }) => debian)
if (missing.length > 0 && !install(missing)) {
  console.error(`The tests need ${missing.join(', ')}: please run  sudo apt-get install ${missing.join(' ')}`)
  process.exit(2)
}

const node = process.execPath
const tests = selectTests(process.argv.slice(2))
if (!(await run(node, 'scripts/build.mjs', '--bench'))) process.exit()
// Lint and types take one core for some seconds, while the first tests wait for processes.
await Promise.all([
  run(node, 'scripts/check.mjs'),
  tests.length === 0 && fuzz(),
  run(node, 'node_modules/vitest/vitest.mjs', 'run', ...tests),
])

/** The arguments of vitest: those of this script, with the related tests in place of --changed. @param {string[]} args */
function selectTests(args) {
  const at = args.indexOf('--changed')
  if (at < 0) return args
  const hasRevision = args[at + 1] !== undefined && !args[at + 1].startsWith('-')
  const tests = relatedTests(changedFiles(hasRevision ? args[at + 1] : 'HEAD'))
  if (tests.length === 0) {
    console.error('Nothing has changed.')
    process.exit(0)
  }
  return [...args.slice(0, at), ...tests, ...args.slice(at + (hasRevision ? 2 : 1))]
}

/**
 * Whether the Vulkan loader is installed, by which Dawn finds a graphics card, or SwiftShader, which chromium
 * brings.
 */
function hasVulkan() {
  const { stdout } = spawnSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' })
  return (stdout ?? '').includes('libvulkan.so.1')
}

/** @param {string[]} packages */
function install(packages) {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false
  console.error(`Installing ${packages.join(' and ')} …`)
  return (
    works('apt-get', 'update') && works('apt-get', 'install', '-y', '--no-install-recommends', ...packages)
  )
}

/** @param {string} command @param {string[]} args */
function works(command, ...args) {
  return (
    spawnSync(command, args, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
      .status === 0
  )
}

/** Fuzzes for a minute, in a process of low priority, so that the tests do not wait for it; prints only what it found. */
async function fuzz() {
  const child = spawn(node, ['scripts/fuzz.mjs', '--seconds', '60'], { stdio: ['ignore', 'pipe', 'inherit'] })
  setPriority(child.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL)
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (code !== 0) process.exitCode = code ?? 1
  console.log(code === 0 ? `Fuzzing: ${printed.trim().split('\n').at(-1)}` : printed)
}

/**
 * Runs a program to its end. If it fails, this process will end with its code.
 * @param {string} command @param {string[]} args @returns {Promise<boolean>} whether it succeeded
 */
async function run(command, ...args) {
  const [code] = await once(spawn(command, args, { stdio: 'inherit' }), 'close')
  if (code !== 0) process.exitCode = code ?? 1
  return code === 0
}
