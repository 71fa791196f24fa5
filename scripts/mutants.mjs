// Mutation testing: changes one rule or constant of the source at a time and sees whether a test fails. Works in a temporary
// copy of the working tree, so that nothing here is touched.
//
//   npm run mutants -- [--only <substring>] [--list]
//
// Exits with 1 if a mutation cannot be applied, or fewer than 90% of them are killed.
// @ts-check
import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { mutants as all } from './mutantList.mjs'

/** @typedef {import('./mutantList.mjs').Mutant} Mutant */
/** @typedef {{ status: 'killed' | 'survived' | 'not applied', by: string, seconds: number }} Verdict */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The share of mutations that tests must notice. */
const LEAST_KILLED = 0.9
/** Tests of a mutation that take longer are ended, and it counts as killed: a mutation may make a loop endless. */
const TIMEOUT_MS = 240_000
/** The baseline runs the tests of all mutations. */
const BASELINE_TIMEOUT_MS = 1_800_000

/** The tests that are running. @type {import('node:child_process').ChildProcess | undefined} */
let running

const { values: options } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } })
// Mutants of 'tsc' come first: kernels and programs of threads are then built from sources without a mutation.
const chosen = all
  .filter(({ name, file }) => `${file} ${name}`.includes(options.only ?? ''))
  .sort((a, b) => Number(a.rebuild !== 'tsc') - Number(b.rebuild !== 'tsc'))
if (options.list) for (const { file, name } of chosen) console.log(`${file}: ${name}`)
else if (chosen.length === 0) throw new Error(`No mutation has "${options.only}" in its file or name.`)
else process.exitCode = await main()

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-mutants-'))
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.once(signal, () => {
      if (running) endGroup(running)
      rmSync(folder, { recursive: true, force: true })
      process.exit(130)
    })
  try {
    console.error(`Copying the working tree to ${folder} …`)
    copyTree(folder)
    allowUnusedNames(folder)
    if (!build(folder, 'all')) throw new Error('The source does not build as it is.')
    console.error('Running the related tests on the source as it is …')
    const before = await baseline(folder)
    if (before.size > 0) console.error(`These fail without any mutation, and do not count:\n${lines(before)}`)
    /** @type {Map<Mutant, Verdict>} */
    const verdicts = new Map()
    for (const mutant of chosen) {
      const verdict = await judge(folder, mutant, before)
      verdicts.set(mutant, verdict)
      console.log(row(mutant, verdict))
    }
    return summarize(verdicts)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Copies what git knows or would add, and what has been built. Packages are links to those here; the links between
 * workspaces point into the copy, and the caches in node_modules are its own.
 * @param {string} to
 */
function copyTree(to) {
  const git = (/** @type {string[]} */ ...args) =>
    spawnSync('git', ['ls-files', '-z', ...args], { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 })
      .stdout.split('\0')
      .filter((path) => path !== '' && existsSync(join(ROOT, path)))
  for (const path of git('--cached', '--others', '--exclude-standard')) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    copyFileSync(join(ROOT, path), join(to, path))
  }
  for (const path of git('--others', '--ignored', '--exclude-standard', '--directory')) {
    if (/(^|\/)dist\/$/.test(path)) cpSync(join(ROOT, path), join(to, path), { recursive: true })
    if (/(^|\/)node_modules\/$/.test(path)) linkPackages(join(ROOT, path), join(to, path))
  }
}

/** A mutation may leave a name without a use, which is none of the faults that are looked for. @param {string} folder */
function allowUnusedNames(folder) {
  const path = join(folder, 'tsconfig.base.json')
  const strict = /("noUnused(?:Locals|Parameters)"): true/g
  writeFileSync(path, readFileSync(path, 'utf8').replace(strict, '$1: false'))
}

/** @param {string} from @param {string} to */
function linkPackages(from, to) {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    if (name === '.cache') cpSync(source, target, { recursive: true })
    else if (name.startsWith('@')) linkPackages(source, target)
    else symlinkSync(lstatSync(source).isSymbolicLink() ? readlinkSync(source) : source, target)
  }
}

/**
 * 'tsc' compiles what tests import directly; 'all' also makes the kernels, the programs of threads and the command.
 * @param {string} cwd @param {'tsc' | 'all'} what
 */
function build(cwd, what) {
  const command =
    what === 'all'
      ? ['scripts/build.mjs', '--quiet']
      : ['node_modules/typescript/bin/tsc', '-p', 'packages/lacuna']
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd, encoding: 'utf8' })
  if (status !== 0) console.error(stdout + stderr)
  return status === 0
}

/** The tests that fail without any mutation. @param {string} cwd @returns {Promise<Set<string>>} */
async function baseline(cwd) {
  const failed = new Set()
  // Files of which only some tests are related to a mutation are run by themselves.
  const named = new Map(
    chosen.filter(({ testNames }) => testNames).map((mutant) => [testKey(mutant), mutant]),
  )
  const files = [...new Set(chosen.filter(({ testNames }) => !testNames).flatMap(({ tests }) => tests))]
  const runs = [...(files.length > 0 ? [{ tests: files, testNames: undefined }] : []), ...named.values()]
  for (const { tests, testNames } of runs) {
    const found = await runTests(cwd, tests, { testNames, timeout: BASELINE_TIMEOUT_MS })
    if (typeof found === 'string') throw new Error(`${tests.join(' ')}: ${found}.`)
    for (const name of found) failed.add(name)
  }
  return failed
}

/** @param {Pick<Mutant, 'tests' | 'testNames'>} mutant */
function testKey({ tests, testNames }) {
  return [...tests, testNames].join(' ')
}

/**
 * @param {string} cwd @param {Mutant} mutant @param {Set<string>} before
 * @returns {Promise<Verdict>}
 */
async function judge(cwd, mutant, before) {
  const start = performance.now()
  const end = (/** @type {Verdict['status']} */ status, by = '') => ({
    status,
    by,
    seconds: (performance.now() - start) / 1000,
  })
  const path = join(cwd, mutant.file)
  const source = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  const found = source === undefined ? -1 : source.split(mutant.find).length - 1
  if (source === undefined || found < 0) return end('not applied', 'there is no such file')
  if (found !== 1) return end('not applied', `its text occurs ${found} times`)
  writeFileSync(
    path,
    source.replace(mutant.find, () => mutant.replace),
  )
  try {
    if (!build(cwd, mutant.rebuild)) return end('not applied', 'it does not build')
    const { tests, testNames } = mutant
    const failed = await runTests(cwd, tests, { testNames, timeout: TIMEOUT_MS, bail: before.size === 0 })
    if (typeof failed === 'string') return end('killed', failed)
    const by = failed.filter((name) => !before.has(name))
    return by.length > 0 ? end('killed', by[0]) : end('survived')
  } finally {
    writeFileSync(path, source)
  }
}

/**
 * The names of the tests that fail, or why there are none to tell.
 * @param {string} cwd @param {readonly string[]} files
 * @param {{ testNames?: string, timeout: number, bail?: boolean }} how
 * @returns {Promise<string[] | string>}
 */
function runTests(cwd, files, { testNames, timeout, bail = false }) {
  const report = join(cwd, 'node_modules/.cache/mutants.json')
  rmSync(report, { force: true })
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...files,
    '--reporter=json',
    `--outputFile=${report}`,
  ]
  if (testNames) args.push('--testNamePattern', testNames)
  if (bail) args.push('--bail', '1')
  // CI is unset, so that properties are tried with their fixed seeds alone and the verdicts are the same every
  // time.
  const env = { ...process.env, CI: '', LACUNA_SEED: '' }
  return new Promise((resolve, reject) => {
    // The process has a group of its own, so that worker processes end with it.
    const child = spawn(process.execPath, args, { cwd, env, stdio: 'ignore', detached: true })
    running = child
    const timer = setTimeout(() => {
      endGroup(child)
      resolve('the tests did not end in time')
    }, timeout)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      running = undefined
      if (!existsSync(report)) return resolve('the test runner ended without a report')
      const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
      /** @type {string[]} */
      const failed = []
      for (const { name, status, assertionResults } of testResults) {
        const own = assertionResults.filter((/** @type {any} */ test) => test.status === 'failed')
        for (const { fullName } of own) failed.push(fullName)
        if (status === 'failed' && own.length === 0) failed.push(`${name} cannot be loaded`)
      }
      resolve(failed.length === 0 && code !== 0 ? ['an error outside of the tests'] : failed)
    })
  })
}

/** Ends a process and those that it has started. @param {import('node:child_process').ChildProcess} child */
function endGroup({ pid }) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {} // it has ended by itself
}

/** @param {Mutant} mutant @param {Verdict} verdict */
function row({ file, name, why }, { status, by, seconds }) {
  const note = status === 'survived' ? (why ?? '') : by
  const short = note.length > 90 ? `${note.slice(0, 89)}…` : note
  return `| ${status.padEnd(11)} | ${seconds.toFixed(0).padStart(3)} s | ${file}: ${name} | ${short} |`
}

/** @param {Map<Mutant, Verdict>} verdicts @returns {number} the exit code */
function summarize(verdicts) {
  const having = (/** @type {Verdict['status']} */ status) =>
    [...verdicts].filter(([, verdict]) => verdict.status === status)
  const [killed, survived, notApplied] = [having('killed'), having('survived'), having('not applied')]
  for (const some of [survived, notApplied])
    if (some.length > 0) console.log(`\n${some.map(([mutant, verdict]) => row(mutant, verdict)).join('\n')}`)
  console.log(
    `\n${killed.length} killed, ${survived.length} survived, ${notApplied.length} could not be applied, of ${verdicts.size}.`,
  )
  return notApplied.length > 0 || killed.length < LEAST_KILLED * verdicts.size ? 1 : 0
}

/** @param {Iterable<string>} names */
function lines(names) {
  return [...names].map((name) => `  ${name}`).join('\n')
}
