// Stages the pages of the website: those of site/, docs/ as they are, and the reference that the program prints. Links
// to files of the repository that are no pages lead to copies of them under source/.
// @ts-check
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

/** Pages at the root of the repository that the site has, too. */
const ROOT_PAGES = ['CHANGELOG.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CODE_OF_CONDUCT.md', 'README.md']

/** What is in no list of a folder: hidden files, packages, and what is built. */
const UNLISTED = /^(\.|node_modules$|dist$|__pycache__$)/

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
  writeFileSync(join(stage, 'reference/commands.md'), anchorOptions(reference))
}

/**
 * Gives the options of the reference of commands an anchor each, as lacuna-complete-merge-modes, to which the search leads.
 * @param {string} reference
 */
export function anchorOptions(reference) {
  let command = ''
  return reference
    .split('\n')
    .map((line) => {
      command = /^## (.*)/.exec(line)?.[1].replaceAll(' ', '-') ?? command
      const [, code, name] = /^\| (`[^`]*?--([\w-]+)[^`]*`) \|/.exec(line) ?? []
      return code ? line.replace(code, () => `<span id="${command}-${name}"></span>${code}`) : line
    })
    .join('\n')
}

/**
 * Adds a link to the site below the studio, which is a page of its own.
 * @param {string} path index.html of the studio in the site
 */
export function linkStudioToSite(path) {
  const style = 'display:block;padding:0.5rem 1rem;font-size:0.85rem;text-align:center;color:inherit'
  const link = `<a href="../index.html" style="${style}">Website and documentation of Lacuna</a>`
  writeFileSync(path, readFileSync(path, 'utf8').replace('</body>', `  ${link}\n  </body>`))
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
          (pages.has(target) || /^(docs|site|packages)\/.*\.(webp|jpg|png|svg)$/.test(target)))
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

/**
 * Copies a file to source/, as text that browsers show, or a folder with a page that lists it; returns its address.
 * @param {string} root @param {string} stage @param {string} path @returns {string}
 */
function copySource(root, stage, path) {
  if (/^docs\/.*\.(html|json)$/.test(path)) return path
  const own = path.replace(/\/$/, '')
  const isFolder = statSync(join(root, own)).isDirectory()
  const name = `source/${own}${isFolder ? '/index.html' : '.txt'}`
  const target = join(stage, 'public', name)
  if (existsSync(target)) return name
  mkdirSync(dirname(target), { recursive: true })
  if (!isFolder) cpSync(join(root, own), target)
  else {
    const entries = readdirSync(join(root, own)).filter((entry) => !UNLISTED.test(entry))
    const items = entries.map((entry) => {
      const address = posix.relative(dirname(name), copySource(root, stage, `${own}/${entry}`))
      return `<li><a href="${encodeURI(address)}">${entry}</a></li>`
    })
    writeFileSync(
      target,
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${own}</title><h1>${own}</h1><ul>${items.join('')}</ul></html>\n`,
    )
  }
  return name
}

/** @param {string} from a folder @param {string} to */
const relative = (from, to) => {
  const path = posix.relative(from, to)
  return path.startsWith('.') ? path : `./${path}`
}
