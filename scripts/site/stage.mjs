// Stages the pages of the website: those of site/, docs/ as they are, and the reference that the program prints. Links
// to files of the repository that are no pages lead to copies of them under source/.
// @ts-check
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** Pages at the root of the repository that the site has, too. */
const ROOT_PAGES = ['CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'README.md']

/** The path of a file of the repository in the staged folder. @param {string} path */
function stagedPath(path) {
  if (path === 'docs/tour/README.md') return 'docs/tour/index.md'
  if (path === 'README.md') return 'readme.md'
  return path.startsWith('site/') ? path.slice('site/'.length) : path
}

/** Pages and pictures below a folder of the repository. @param {string} root @param {string} folder @returns {string[]} */
function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.name.startsWith('.') || ['node_modules', 'dist', 'live'].includes(entry.name)) return []
    return entry.isDirectory() ? filesBelow(root, path) : [path]
  })
}

/**
 * Stages all pages.
 * @param {string} root the repository @param {string} stage an empty folder @param {string} reference the page of commands
 */
export function stagePages(root, stage, reference) {
  const paths = [
    ...filesBelow(root, 'docs'),
    ...filesBelow(root, 'site'),
    ...filesBelow(root, 'bench/peers').filter((path) => path.endsWith('.md')),
    ...ROOT_PAGES.filter((page) => existsSync(join(root, page))),
  ]
  const pages = new Set(paths.filter((path) => path.endsWith('.md')))
  for (const path of paths) {
    if (/package(-lock)?\.json$/.test(path)) continue
    const target = join(
      stage,
      /\.(html|json|mjs)$/.test(path) ? `public/${stagedPath(path)}` : stagedPath(path),
    )
    mkdirSync(dirname(target), { recursive: true })
    if (pages.has(path)) writeFileSync(target, stagePage(root, stage, path, pages))
    else cpSync(join(root, path), target)
  }
  mkdirSync(join(stage, 'reference'), { recursive: true })
  writeFileSync(join(stage, 'reference/commands.md'), reference)
}

/**
 * The text of a page with the links of the staged folder.
 * @param {string} root @param {string} stage @param {string} path @param {Set<string>} pages
 */
function stagePage(root, stage, path, pages) {
  const own = dirname(stagedPath(path))
  return readFileSync(join(root, path), 'utf8').replace(
    /((?:!?\[[^\]]*)?\]\()([^)\s#]+)(#[^)\s]*)?(\))/g,
    (whole, open, link, anchor = '', close) => {
      if (/^(\w+:|\/)/.test(link)) return whole
      const target = posix.join(dirname(path), link)
      // VitePress bundles the pictures that a page shows, under other names, but not those that it links to.
      if (/\.(webp|jpg|png|svg)$/.test(target) && open.startsWith('[') && existsSync(join(root, target)))
        copyPublic(root, stage, target)
      const isGenerated = target.startsWith('site/reference/') || target.startsWith('site/studio/')
      if (
        isGenerated ||
        (existsSync(join(root, target)) &&
          (pages.has(target) || /^(docs|site)\/.*\.(webp|jpg|png|svg)$/.test(target)))
      )
        return `${open}${relative(own, stagedPath(target))}${anchor}${close}`
      if (!existsSync(join(root, target))) return whole
      return `${open}${relative(own, copySource(root, stage, target))}${close}`
    },
  )
}

/** Copies a file to where its page links to. @param {string} root @param {string} stage @param {string} path */
function copyPublic(root, stage, path) {
  const target = join(stage, 'public', stagedPath(path))
  mkdirSync(dirname(target), { recursive: true })
  cpSync(join(root, path), target)
}

/** Copies a file, or the list of a folder, to source/, as text that browsers show. @param {string} root @param {string} stage @param {string} path */
function copySource(root, stage, path) {
  if (/^docs\/.*\.(html|json)$/.test(path)) return path
  const name = `source/${path.replace(/\/$/, '')}.txt`
  const target = join(stage, 'public', name)
  mkdirSync(dirname(target), { recursive: true })
  if (statSync(join(root, path)).isDirectory())
    writeFileSync(target, `${readdirSync(join(root, path)).join('\n')}\n`)
  else cpSync(join(root, path), target)
  return name
}

/** @param {string} from a folder @param {string} to */
const relative = (from, to) => {
  const path = posix.relative(from, to)
  return path.startsWith('.') ? path : `./${path}`
}
