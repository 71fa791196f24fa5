// Rewrites declaration files so that they name the file that declares a type instead of the index of its room. A program that uses the
// library then loads only the declarations it needs: those of other files of a room may mention types that the program's compiler does
// not know, of Node in a page or of WebAssembly outside one.
// @ts-check
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { filesUnder } from './filesUnder.mjs'

/** `import` or `export`, `type`, the names in braces, and the relative path. */
const STATEMENT = /^(import|export)( type)? \{([^}]*)\} from '(\.[^']+)';/gm

/** @typedef {{ file: string, name: string }} Declaration the file that declares a name, and the name there */

/** @param {string} folder all .d.ts files below it are rewritten, if they import from an index */
export function resolveDeclarations(folder) {
  const files = filesUnder(folder).filter((file) => file.endsWith('.d.ts'))
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
  for (const [file, text] of texts) {
    const resolved = text.replace(STATEMENT, (statement, keyword, type = '', names, path) => {
      const target = targetOf(file, path)
      if (!/(^|\/)index\.d\.ts$/.test(target) || !texts.has(target)) return statement
      /** @type {Map<string, string[]>} */
      const groups = new Map()
      for (const item of names
        .split(',')
        .map((/** @type {string} */ name) => name.trim())
        .filter(Boolean)) {
        const [, marker = '', name, alias] = /^(type )?(\w+)(?: as (\w+))?$/.exec(item) ?? []
        const declaration = declarationOf(target, name, texts) ?? { file: target, name }
        const local = alias ?? name
        const renamed = declaration.name === local ? local : `${declaration.name} as ${local}`
        groups.set(declaration.file, [...(groups.get(declaration.file) ?? []), marker + renamed])
      }
      return [...groups]
        .map(([from, items]) => `${keyword}${type} { ${items.join(', ')} } from '${specifier(file, from)}';`)
        .join('\n')
    })
    if (resolved !== text) writeFileSync(file, resolved)
  }
}

/** The declaration file that a relative path names. @param {string} file @param {string} path */
const targetOf = (file, path) => join(dirname(file), path.replace(/\.(ts|js)$/, '.d.ts'))

/** The relative path by which a declaration file imports another. @param {string} file @param {string} target */
function specifier(file, target) {
  const path = relative(dirname(file), target)
    .replaceAll('\\', '/')
    .replace(/\.d\.ts$/, '.ts')
  return path.startsWith('.') ? path : `./${path}`
}

/**
 * Where a name that a file exports is declared: there, or in a file that it exports the name from.
 * @param {string} file @param {string} name @param {ReadonlyMap<string, string>} texts
 * @returns {Declaration | undefined}
 */
function declarationOf(file, name, texts) {
  const text = texts.get(file)
  if (text === undefined) return undefined
  if (
    new RegExp(
      `^export (?:declare )?(?:abstract )?(?:function|class|const|interface|type) ${name}\\b`,
      'm',
    ).test(text)
  )
    return { file, name }
  for (const [, keyword, , names, path] of text.matchAll(STATEMENT)) {
    if (keyword !== 'export') continue
    for (const item of names.split(',')) {
      const [, original, alias] = /^\s*(?:type )?(\w+)(?: as (\w+))?\s*$/.exec(item) ?? []
      if ((alias ?? original) === name && original !== undefined)
        return declarationOf(targetOf(file, path), original, texts)
    }
  }
  for (const [, path] of text.matchAll(/^export \* from '(\.[^']+)';/gm)) {
    const found = declarationOf(targetOf(file, path), name, texts)
    if (found) return found
  }
  return existsSync(file) && new RegExp(`^export (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\};`, 'm').test(text)
    ? { file, name }
    : undefined
}
