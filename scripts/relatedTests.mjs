// The tests that are related to what has changed, for the inner loop: `npm test -- --changed [REVISION]`.
// A test file is related to a source file if it imports the file, if it lies in the folder of test/ that mirrors the file's folder (or
// the closest one that has tests), or if it has itself changed. Tests of packages and of MPI jobs take minutes: they run only when
// they themselves, or comm/, have changed.
// @ts-check
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const SLOW = /^test\/(package\/|cli\/mpi|golden\/mpi|lacuna\/engine\/mpi\/)/

/** Files that differ from a revision, and new ones. @param {string} revision @returns {string[]} */
export function changedFiles(revision) {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
  return [...git('diff', '--name-only', revision), ...git('ls-files', '--others', '--exclude-standard')]
}

/** @param {readonly string[]} changed paths of the repository @returns {string[]} test files, in order */
export function relatedTests(changed) {
  const tests = filesBelow('test').filter((file) => file.endsWith('.test.ts'))
  const imports = new Map(
    filesBelow('test')
      .filter((file) => /\.(ts|mjs)$/.test(file))
      .map((file) => [file, importsOf(file)]),
  )
  const found = new Set(changed.length > 0 ? ['test/imports.test.ts'] : [])
  for (const file of changed) {
    const folder = mirrorOf(file)
    for (const test of tests) {
      const isOwn = test === file
      const isMirror = folder !== undefined && dirname(test) === folder
      const isImporter = reaches(test, file, imports)
      const isComm = file.startsWith('packages/lacuna/src/comm/')
      if (isOwn || ((isMirror || isImporter) && (!SLOW.test(test) || isComm))) found.add(test)
    }
  }
  return [...found].sort()
}

/** The folder of test/ that mirrors the folder of a source, or the closest one above it that has tests. @param {string} file */
function mirrorOf(file) {
  const [, name, rest] = /^packages\/(lacuna|cli|studio|figures)\/src\/(.*)$/.exec(file) ?? []
  if (file.endsWith('.md')) return 'test/docs'
  const [, other] = /^(bench|python)\//.exec(file) ?? []
  if (name === undefined) return other && `test/${other}`
  let folder = normalize(join('test', name, dirname(rest)))
  while (folder !== 'test' && !hasTests(folder)) folder = dirname(folder)
  return folder === 'test' ? undefined : folder
}

const hasTests = (/** @type {string} */ folder) =>
  existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.test.ts'))

/** The files of the repository that a test file imports. @param {string} file @returns {string[]} */
function importsOf(file) {
  const code = readFileSync(file, 'utf8')
  return Array.from(code.matchAll(/(?:from|import\()\s*'([^']+)'/g), ([, path]) => {
    if (path.startsWith('#lacuna/')) return `packages/lacuna/src/${path.slice(8).replace(/\.js$/, '.ts')}`
    if (path.startsWith('#cli/')) return `packages/cli/src/${path.slice(5)}`
    if (path.startsWith('#bench/')) return `bench/src/${path.slice(7)}`
    return path.startsWith('.') ? normalize(join(dirname(file), path)) : path
  })
}

/**
 * Whether a test imports a file, itself or through helpers in test/.
 * @param {string} test @param {string} file @param {ReadonlyMap<string, string[]>} imports
 */
function reaches(test, file, imports) {
  const reached = new Set([test])
  for (const at of reached) for (const next of imports.get(at) ?? []) reached.add(next)
  return reached.has(file)
}

/** @param {string} folder @returns {string[]} */
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => statSync(file).isFile())
