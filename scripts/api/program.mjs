// Finds declarations across files: what a file exports, and what a name in a file stands for.
// @ts-check
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseStatements } from './parse.mjs'

/** @typedef {import('./parse.mjs').Statement} Statement */
/** @typedef {import('./parse.mjs').Kind} Kind */

/**
 * What a name stands for: one statement, or one per overload.
 * @typedef {{ name: string, kind: Kind, file: string, statements: Statement[] }} Declaration
 */

/**
 * @typedef {object} Program
 * @property {(file: string) => Declaration[]} exportsOf what a file exports, sorted by name
 * @property {(name: string, file: string) => Declaration | undefined} resolve what a name in a file stands for
 * @property {(file: string) => string} headerOf the doc comment that opens a file
 */

/** Reads declaration files as they are needed, each once. @returns {Program} */
export function openProgram() {
  /** @type {Map<string, Statement[]>} */
  const parsed = new Map()
  /** @type {Map<string, Declaration>} */
  const declarations = new Map()

  /** @param {string} file */
  const statementsOf = (file) => {
    const known = parsed.get(file)
    if (known) return known
    const statements = parseStatements(readFileSync(file, 'utf8'))
    parsed.set(file, statements)
    return statements
  }

  /** A declaration in this very file. One object per declaration, so that they can be compared. @param {string} name @param {string} file */
  const declaredIn = (name, file) => {
    const key = `${file}#${name}`
    const known = declarations.get(key)
    if (known) return known
    const statements = statementsOf(file).filter((statement) => statement.name === name)
    if (statements.length === 0) return undefined
    const declaration = { name, kind: statements[0].kind, file, statements }
    declarations.set(key, declaration)
    return declaration
  }

  /** @param {string} name @param {string} file @returns {Declaration | undefined} */
  const exportedBy = (name, file) => {
    const here = declaredIn(name, file)
    if (here) return here
    for (const { kind, text } of statementsOf(file)) {
      if (kind !== 'export') continue
      const { names, from, isStar } = parseList(text)
      const target = from && targetOf(from, file)
      if (isStar && target) {
        const found = exportedBy(name, target)
        if (found) return found
      }
      const original = names.get(name)
      if (original) return target ? exportedBy(original, target) : resolve(original, file)
    }
    return undefined
  }

  /** @param {string} name @param {string} file @returns {Declaration | undefined} */
  const resolve = (name, file) => {
    const here = declaredIn(name, file)
    if (here) return here
    for (const { kind, text } of statementsOf(file)) {
      if (kind !== 'import') continue
      const { names, from } = parseList(text)
      const original = names.get(name)
      const target = from && targetOf(from, file)
      if (original && target) return exportedBy(original, target)
    }
    return undefined
  }

  /** @param {string} file @returns {string[]} */
  const namesOf = (file) =>
    statementsOf(file).flatMap(({ kind, name, text, exported }) => {
      if (kind !== 'export') return exported ? [name] : []
      const { names, from, isStar } = parseList(text)
      const target = from && targetOf(from, file)
      return isStar && target ? namesOf(target) : [...names.keys()]
    })

  return {
    resolve,
    exportsOf: (file) =>
      [...new Set(namesOf(file))]
        .sort((a, b) => compare(a.toLowerCase(), b.toLowerCase()) || compare(a, b))
        .map((name) => {
          const found = exportedBy(name, file)
          if (!found) throw new Error(`${file} exports ${name}, which is not declared.`)
          return found
        }),
    headerOf: (file) => {
      const [first] = statementsOf(file)
      return first && (first.kind === 'import' || first.kind === 'export') ? first.comment : ''
    },
  }
}

/** @param {string} a @param {string} b */
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/** The names of an import or export statement, each with the name it has in the other file. @param {string} text */
function parseList(text) {
  const [, list = ''] = /\{([^}]*)\}/.exec(text) ?? []
  const names = new Map()
  for (const item of list.split(',')) {
    const [original, local = original] = item
      .trim()
      .replace(/^type /, '')
      .split(' as ')
    if (original) names.set(local, original)
  }
  return { names, from: /from ['"]([^'"]+)['"]/.exec(text)?.[1], isStar: /^export (type )?\*/.test(text) }
}

/** The declaration file of a relative import; undefined for a package. @param {string} from @param {string} file */
const targetOf = (from, file) =>
  from.startsWith('.') ? join(dirname(file), from.replace(/\.(ts|js)$/, '.d.ts')) : undefined
