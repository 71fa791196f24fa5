// Parses declaration files as tsc prints them: statements, members, parameters and doc comments. TypeScript 7 has no compiler
// API, and the printed form is regular: statements and members end with a semicolon or a closing brace.
// @ts-check

/** @typedef {'function' | 'class' | 'const' | 'interface' | 'type' | 'enum' | 'import' | 'export'} Kind */
/** @typedef {{ kind: Kind, name: string, text: string, comment: string, exported: boolean }} Statement */
/** @typedef {{ name: string, modifiers: string[], optional: boolean, rest: string, comment: string }} Member */

const OPENING = '([{<'
const CLOSING = ')]}>'

/**
 * Blanks comments, the insides of strings and the arrows of function types, so that every bracket and separator that is left
 * is one of the syntax. Positions stay the same.
 * @param {string} text
 */
export const blank = (text) =>
  text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`[^`]*`|=>/g, (found) =>
    /^['"`]/.test(found) ? `'${'_'.repeat(found.length - 2)}'` : ' '.repeat(found.length),
  )

/** The position of the bracket that closes the one at `open`. @param {string} plain blanked text @param {number} open */
export function closingBracket(plain, open) {
  let depth = 0
  for (let at = open; at < plain.length; at++) {
    if (OPENING.includes(plain[at])) depth++
    else if (CLOSING.includes(plain[at]) && --depth === 0) return at
  }
  return plain.length - 1
}

/** The first of these characters outside all brackets, or -1. @param {string} plain blanked text @param {string} wanted */
export function findOutside(plain, wanted) {
  for (let at = 0; at < plain.length; at++) {
    if (wanted.includes(plain[at])) return at
    if (OPENING.includes(plain[at])) at = closingBracket(plain, at)
  }
  return -1
}

/** Splits at a separator outside all brackets; drops empty parts. @param {string} text @param {string} separator */
export function splitOutside(text, separator) {
  const parts = []
  const plain = blank(text)
  let start = 0
  for (;;) {
    const found = findOutside(plain.slice(start), separator)
    if (found < 0) break
    parts.push(text.slice(start, start + found).trim())
    start += found + 1
  }
  parts.push(text.slice(start).trim())
  return parts.filter((part) => part !== '')
}

/** The text without comments, in one line. @param {string} text */
export const oneLine = (text) =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/; \}/g, ' }')
    .replace(/,(?= [)}\]])/g, '')
    .replace(/;$/, '')
    .trim()

/** The doc comment right before the code, and the code. @param {string} text @returns {{ comment: string, code: string }} */
function takeComment(text) {
  const start = blank(text).search(/\S/)
  if (start < 0) return { comment: '', code: '' }
  const comments = [...text.slice(0, start).matchAll(/\/\*\*([\s\S]*?)\*\//g)]
  return { comment: comments.at(-1)?.[1] ?? '', code: text.slice(start) }
}

/** All statements of a declaration file, in order. @param {string} text @returns {Statement[]} */
export function parseStatements(text) {
  const plain = blank(text)
  const found = []
  let start = 0
  while (/\S/.test(plain.slice(start))) {
    const rest = plain.slice(start)
    const isBlock = /^\s*(export )?(default )?(declare )?(abstract )?(class|interface|enum)\b/.test(rest)
    const at = findOutside(rest, isBlock ? '{' : ';')
    const end = at < 0 ? text.length : start + (isBlock ? closingBracket(rest, at) : at) + 1
    found.push(parseStatement(text.slice(start, end)))
    start = end
  }
  return found
}

/** @param {string} text @returns {Statement} */
function parseStatement(text) {
  const { comment, code } = takeComment(text)
  const exported = /^export /.test(code)
  const stripped = code.replace(/^export /, '').replace(/^declare /, '')
  const [, kind, name] =
    /^(?:abstract )?(function|class|const|interface|type|enum)\*? ([\w$]+)/.exec(stripped) ?? []
  if (kind) return { kind: /** @type {Kind} */ (kind), name, text: stripped, comment, exported }
  return { kind: exported ? 'export' : 'import', name: '', text: code, comment, exported }
}

/** The members between the braces of an interface, class or object type. @param {string} body @returns {Member[]} */
export function parseMembers(body) {
  const plain = blank(body)
  const found = []
  let start = 0
  for (;;) {
    const at = findOutside(plain.slice(start), ';')
    const end = at < 0 ? body.length : start + at
    const { comment, code } = takeComment(body.slice(start, end))
    const match =
      /^((?:(?:readonly|static|abstract|private|protected|public|get|set|override|accessor) +)*)(\[[^\]]*\]|#?[\w$]+|(?=[(<])|'[^']*'|"[^"]*")(\??)([\s\S]*)$/.exec(
        code,
      )
    if (match) {
      const [, modifiers, name, optional, rest] = match
      found.push({
        name,
        modifiers: modifiers.split(/ +/).filter(Boolean),
        optional: optional === '?',
        rest,
        comment,
      })
    }
    if (at < 0) return found
    start = end + 1
  }
}

/** The text between the outermost braces of a block. @param {string} text */
export function bodyOf(text) {
  const plain = blank(text)
  const open = findOutside(plain, '{')
  return open < 0 ? undefined : text.slice(open + 1, closingBracket(plain, open))
}
