// Prints docs/api.md: every export of every entry point with its doc comment, overloads, members and defaults, from the
// declarations that tsc has made. `node scripts/api.mjs --check` lists what has no doc comment; test/package/api.test.ts runs both.
// @ts-check
import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { memberText, parseComment, wrap } from './api/comments.mjs'
import { groupOverloads, headerText, printDeclaration } from './api/print.mjs'
import { openProgram } from './api/program.mjs'
import { commentOf, membersOf } from './api/types.mjs'

/** The folder of the library's package.json, whose `exports` name the declaration files. */
const LIBRARY = fileURLToPath(new URL('../packages/lacuna/', import.meta.url))

/** Shared by Lacuna's own packages; not part of the API. */
const INTERNAL_ENTRY = 'lacuna/internal'

/** Types that are handed from one function to another: what they are made of is not described. */
const OPAQUE = new Set([
  'EnginePlan',
  'Loaded',
  'LoadedProblem',
  'Problem',
  'ProblemSize',
  'Progress',
  'Texts',
])

/** @typedef {import('./api/program.mjs').Declaration} Declaration */
/** @typedef {import('./api/program.mjs').Program} Program */
/** @typedef {import('./api/types.mjs').Scope} Scope */
/** @typedef {{ name: string, file: string, browserFile?: string }} Entry declaration files in Node and, where they differ, in a browser */
/** @typedef {{ entry: Entry, exports: Declaration[] }} Section */

/** The entry points of package.json. @returns {Entry[]} */
export function entries() {
  const { name, exports } = JSON.parse(readFileSync(join(LIBRARY, 'package.json'), 'utf8'))
  const found = []
  for (const [path, target] of Object.entries(exports)) {
    const types = (target.default ?? target).types ?? target.types
    const entry = path.replace('.', name)
    if (!types || entry === INTERNAL_ENTRY) continue
    const browserTypes = target.browser?.types
    found.push({
      name: entry,
      file: join(LIBRARY, types),
      ...(browserTypes && { browserFile: join(LIBRARY, browserTypes) }),
    })
  }
  return found
}

/**
 * The whole API: entry points with exports, and the types that these mention but that no entry point exports.
 * @returns {{ scope: Scope, sections: Section[], others: Declaration[] }}
 */
export function readApi() {
  const program = openProgram()
  const all = entries()
  // An entry that is what another is in a browser is no section of its own.
  const own = all.filter(({ file }) => all.every(({ browserFile }) => browserFile !== file))
  const sections = own.map((entry) => ({ entry, exports: program.exportsOf(entry.file) }))
  const scope = { program, exported: new Set(sections.flatMap(({ exports }) => exports)) }
  const others = mentionedOnly(scope)
  return { scope, sections, others }
}

/** @param {Scope} scope */
function mentionedOnly(scope) {
  /** @type {Set<Declaration>} */
  const found = new Set()
  const queue = [...scope.exported]
  for (const declaration of queue) {
    for (const type of printDeclaration(scope, declaration, ({ name }) => name).mentions) {
      if (scope.exported.has(type) || found.has(type) || OPAQUE.has(type.name)) continue
      found.add(type)
      queue.push(type)
    }
  }
  return [...found].sort((a, b) => (a.name + a.file < b.name + b.file ? -1 : 1))
}

/** The page. */
export function apiText() {
  const { scope, sections, others } = readApi()
  const { linkTo, definitions } = makeLinks(sections, others)
  const parts = [
    '# The API',
    ...[
      'For programmers who call Lacuna from TypeScript or JavaScript: what each entry point exports, with every overload, option and default. To learn Lacuna, begin with the [README](../README.md); to look up a name, search this page.',
      `What is not listed here may change without notice. \`${INTERNAL_ENTRY}\` is shared by Lacuna's own packages and is not part of the API.`,
      'Members marked `?` are optional. Errors that a caller can correct are thrown as an [InputError].',
      'This page is generated: `npm run --silent api > docs/api.md` writes it, and a test compares it with the code.',
    ].map((paragraph) => wrap(paragraph)),
    [
      ...sections.map(
        ({ entry, exports }) => `- [${entry.name}](#${slug(entry.name)}): ${exports.length} exports`,
      ),
      `- [${OTHERS}](#${slug(OTHERS)}): ${others.length} types that the others mention`,
    ].join('\n'),
  ]
  for (const { entry, exports } of sections) {
    const { headerOf } = scope.program
    const header = headerText(headerOf(entry.file), entry.browserFile && headerOf(entry.browserFile))
    parts.push(`## ${entry.name}`, ...header, ...browserNote(scope.program, entry))
    for (const declaration of exports) parts.push(printDeclaration(scope, declaration, linkTo).text)
  }
  parts.push(
    `## ${OTHERS}`,
    wrap(
      'Signatures above mention these types, but no entry point exports them. TypeScript infers them; to name one, write for example `Parameters<typeof synthetic>[0]`.',
    ),
  )
  for (const declaration of others) parts.push(printDeclaration(scope, declaration, linkTo).text)
  return `${parts.join('\n\n')}\n\n${definitions.join('\n')}\n`
}

const OTHERS = 'Types without an export'

/**
 * Lists the exports of an entry point that a browser does not get.
 * @param {Program} program @param {Entry} entry @returns {string[]}
 */
function browserNote(program, { file, browserFile }) {
  if (!browserFile) return []
  const there = new Set(program.exportsOf(browserFile))
  const lacking = program.exportsOf(file).filter((declaration) => !there.has(declaration))
  const same = entries().find((entry) => entry.file === browserFile)
  const also = same ? ` \`${same.name}\` is the version for browsers by name.` : ''
  const names = lacking.map((declaration) => `\`${declaration.name}\``).join(', ')
  return [wrap(`Not available in a browser: ${names}.${also}`)]
}

/** The anchor that GitHub gives a heading. @param {string} heading */
const slug = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/**
 * Reference links, which read well in plain text: [Engine], defined at the end of the page. Labels ignore case, and some names
 * occur twice: only the first type of a name has a short label.
 * @param {Section[]} sections @param {Declaration[]} others
 */
function makeLinks(sections, others) {
  /** @type {Map<string, number>} */
  const used = new Map()
  /** @param {string} heading */
  const anchor = (heading) => {
    const base = slug(heading)
    const count = used.get(base) ?? 0
    used.set(base, count + 1)
    return count === 0 ? base : `${base}-${count}`
  }
  /** @type {Map<Declaration, string>} */
  const anchors = new Map()
  anchor('The API')
  for (const { entry, exports } of sections) {
    anchor(entry.name)
    for (const declaration of exports) {
      const given = anchor(declaration.name)
      if (!anchors.has(declaration)) anchors.set(declaration, given)
    }
  }
  anchor(OTHERS)
  for (const declaration of others) anchors.set(declaration, anchor(declaration.name))
  /** @type {Map<string, Declaration>} */
  const labels = new Map()
  /** @type {Map<Declaration, string>} */
  const links = new Map()
  for (const [declaration, id] of anchors) {
    if (/function|const/.test(declaration.kind)) continue
    const isTaken = labels.has(declaration.name.toLowerCase())
    const label = isTaken ? id : declaration.name
    labels.set(label.toLowerCase(), declaration)
    links.set(declaration, isTaken ? `[${declaration.name}][${id}]` : `[${declaration.name}]`)
  }
  return {
    /** @param {Declaration} declaration */
    linkTo: (declaration) => links.get(declaration) ?? `\`${declaration.name}\``,
    definitions: [...labels].map(([, declaration]) => {
      const [label = declaration.name] = links.get(declaration)?.match(/[^[\]]+(?=\]$)/) ?? []
      return `[${label}]: #${anchors.get(declaration)}`
    }),
  }
}

/**
 * What has no doc comment: exports; members of exports, and types without an export with their members; and, of documented
 * optional members of options, those whose comment states no default.
 */
export function undocumented() {
  const { scope, sections, others } = readApi()
  /** @type {{ exports: string[], members: string[], defaults: string[] }} */
  const found = { exports: [], members: [], defaults: [] }
  /** @param {string} where @param {Declaration} declaration @param {string[]} names */
  const look = (where, declaration, names) => {
    const texts = declaration.statements.map(({ comment }) => parseComment(comment).blocks.join(' '))
    if (texts.every((text) => text.length < 10))
      names.push(`${where}: ${declaration.name} (${relative(LIBRARY, declaration.file)})`)
    for (const group of groupOverloads(membersOf(scope, declaration)?.members ?? [])) {
      const comment = group.map((member) => commentOf(scope, declaration, member)).find(Boolean) ?? ''
      const name = `${where}: ${declaration.name}.${group[0].name} (${relative(LIBRARY, group[0].file)})`
      const { text, value } = memberText(comment)
      if (comment.trim() === '') found.members.push(name)
      else if (
        /Options$/.test(declaration.name) &&
        group[0].optional &&
        value === undefined &&
        !/default/i.test(text)
      )
        found.defaults.push(name)
    }
  }
  for (const { entry, exports } of sections)
    for (const declaration of exports) look(entry.name, declaration, found.exports)
  for (const declaration of others) look('not exported', declaration, found.members)
  return found
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (!existsSync(entries()[0].file)) throw new Error('Build first: npm run build.')
  if (process.argv.includes('--check')) {
    const { exports, members, defaults } = undocumented()
    /** @param {string} title @param {string[]} names */
    const list = (title, names) =>
      console.log([`${title}: ${names.length}`, ...names.map((name) => `  ${name}`)].join('\n'))
    list('Exports without a doc comment', exports)
    list('Members, and types without an export, without a doc comment', members)
    list('Options whose comment states no default (no error)', defaults)
    process.exitCode = exports.length + members.length > 0 ? 1 : 0
  } else process.stdout.write(apiText())
}
