// Prints the public API, entry by entry: each export with its kind, its signature and the first sentence of its
// documentation, from the declarations that tsc has made. docs/api.md is this list; test/package/api.test.ts compares them.
// @ts-check
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** @typedef {{ name: string, signature: string, documentation: string }} Export */

/** The entries of package.json; what a browser gets is part of what Node gets, or the same. @returns {Map<string, string>} */
export function entries() {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const found = new Map()
  for (const [path, target] of Object.entries(exports)) {
    const types = (target.default ?? target).types ?? target.types
    if (types) found.set(path.replace('.', name), join(ROOT, types))
  }
  return found
}

/** What a declaration file exports, by name. @param {string} file @returns {Export[]} */
export function exportsOf(file) {
  const text = readFileSync(file, 'utf8')
  /** @type {Export[]} */
  const found = []
  for (const [, stars, list, from] of text.matchAll(
    /^export (?:type )?(?:(\*)|\{([^}]*)\}) from '([^']+)';/gm,
  )) {
    const target = join(dirname(file), from.replace(/\.(ts|js)$/, '.d.ts'))
    if (stars) found.push(...exportsOf(target))
    else for (const name of namesIn(list)) found.push(declarationOf(name, target))
  }
  for (const [, name] of text.matchAll(
    /^export (?:declare )?(?:abstract )?(?:function|class|const|interface|type) (\w+)/gm,
  ))
    found.push(declarationOf(name, file))
  return found.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

/** @param {string} list */
const namesIn = (list) =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type /, ''))
    .filter((name) => name !== '')

/** @param {string} name @param {string} file @returns {Export} */
function declarationOf(name, file) {
  const text = readFileSync(file, 'utf8')
  const declared = new RegExp(
    `^export (?:declare )?(?:abstract )?(function|class|const|interface|type) ${name}\\b`,
    'm',
  )
  const match = declared.exec(text)
  if (match) {
    const rest = text.slice(match.index)
    // The declarations of an overloaded function follow one another; the first will do.
    const end = /^(function|const|type)$/.test(match[1]) ? endOfStatement(rest) : rest.indexOf('{')
    const signature = rest
      .slice(0, end)
      .replace(/^export (declare )?/, '')
      .replace(/\s+/g, ' ')
      .replace(/;$/, '')
      .trim()
    return { name, signature, documentation: commentBefore(text.slice(0, match.index)) }
  }
  for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)';/gm))
    if (namesIn(list).includes(name))
      return declarationOf(name, join(dirname(file), from.replace(/\.(ts|js)$/, '.d.ts')))
  throw new Error(`${file} does not declare ${name}.`)
}

/** The first semicolon that stands in no bracket. @param {string} text */
function endOfStatement(text) {
  let depth = 0
  // What a comment says of brackets does not count, and neither does an arrow's head.
  const plain = text.replace(/\/\*[\s\S]*?\*\/|=>/g, (found) => ' '.repeat(found.length))
  for (let at = 0; at < plain.length; at++) {
    if ('([{<'.includes(plain[at])) depth++
    else if (')]}>'.includes(plain[at])) depth--
    else if (plain[at] === ';' && depth === 0) return at
  }
  return text.length
}

/** The comment that ends here, as one line. @param {string} text */
function commentBefore(text) {
  const [, comment] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(text) ?? []
  return (comment ?? '')
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The list as Markdown. */
export function apiText() {
  const parts = [
    '# The public API',
    '',
    'Printed by `npm run --silent api`; a test holds the code to it. What is not here is no part of the API and may change.',
  ]
  for (const [entry, file] of entries()) {
    parts.push('', `## ${entry}`, '')
    if (entry === 'lacuna/browser') {
      const here = new Set(exportsOf(file).map(({ name }) => name))
      const lacks = exportsOf(join(dirname(file), 'index.d.ts')).filter(({ name }) => !here.has(name))
      const names = lacks.map(({ name }) => `\`${name}\``).join(', ')
      parts.push(`What bundlers take for \`lacuna\` in a page: all of it but ${names}.`)
      continue
    }
    for (const { name, signature, documentation } of exportsOf(file)) {
      parts.push(`- **${name}** ${documentation || '(not documented)'}`, `  \`${signature}\``)
    }
  }
  return `${parts.join('\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(join(ROOT, 'dist/index.d.ts'))) throw new Error('Build first: npm run build.')
  process.stdout.write(apiText())
}
