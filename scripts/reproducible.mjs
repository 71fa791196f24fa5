// Builds a copy of the sources in another folder and compares what is published, file by file and byte by byte:
//   npm run reproducible
// Takes one build (half a minute) and exits with 1 if a byte differs.
// @ts-check
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'lacuna-a-copy-of-the-sources-'))
const OUTPUTS = ['packages/lacuna/dist', 'packages/cli/dist']

const sources = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
for (const path of sources.trim().split('\n'))
  if (!/^(docs|test|site)\//.test(path) && existsSync(join(root, path))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path))
  }
link(join(root, 'node_modules'), join(copy, 'node_modules'))
try {
  for (const folder of [root, copy])
    execFileSync(process.execPath, ['scripts/build.mjs', '--quiet'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const [first, second] = [root, copy].map(hashes)
  const names = [...new Set([...first.keys(), ...second.keys()])]
  const different = names.filter((name) => first.get(name) !== second.get(name))
  for (const name of different) console.error(`differs: ${name}`)
  console.log(`${names.length} files of two builds in different folders, ${different.length} differ`)
  process.exitCode = different.length > 0 ? 1 : 0
} finally {
  rmSync(copy, { recursive: true, force: true })
}

/** Copies a folder by hard links, but not caches. @param {string} from @param {string} to */
function link(from, to) {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    if (name === '.cache') continue
    const [source, target] = [join(from, name), join(to, name)]
    const about = lstatSync(source)
    if (about.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (about.isDirectory()) link(source, target)
    else linkOrCopy(source, target)
  }
}

/** A hard link, where both are on one disk. @param {string} source @param {string} target */
function linkOrCopy(source, target) {
  try {
    linkSync(source, target)
  } catch {
    copyFileSync(source, target)
  }
}

/** Hashes of all published files, by their path. @param {string} folder */
function hashes(folder) {
  /** @type {Map<string, string>} */
  const found = new Map()
  const collect = (/** @type {string} */ path) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = `${path}/${entry.name}`
      if (entry.isDirectory()) collect(name)
      else if (!name.endsWith('.tsbuildinfo'))
        found.set(
          name,
          createHash('sha256')
            .update(readFileSync(join(folder, name)))
            .digest('hex'),
        )
    }
  }
  for (const path of OUTPUTS) collect(path)
  return found
}
