// Doc comments as Markdown: paragraphs, tags, and the defaults that they state.
// @ts-check

/** @typedef {{ text: string, value?: string }} Documented */
/** @typedef {{ blocks: string[], params: { name: string, text: string }[], returns: string, value?: string }} Doc */

const WIDTH = 120
const TAGS = 'param|returns?|throws|default|defaultValue|example|deprecated|see|remarks|typeParam|template'

/**
 * Parses the inside of a doc comment.
 * @param {string} comment
 * @returns {Doc}
 */
export function parseComment(comment) {
  const text = comment
    .replace(/^[ \t]*\* ?/gm, '')
    .replace(/\{@link(?:code|plain)? ([^}\s|]+)[^}]*\}/g, '`$1`')
    .replace(/\bdocs\/([\w-]+\.md)\b/g, '[$1]($1)')
    .trim()
  const [description, ...tags] = text.split(new RegExp(`(?:^|\\s)(?=@(?:${TAGS})\\b)`))
  /** @type {Doc} */
  const doc = { blocks: blocksOf(description), params: [], returns: '' }
  for (const tag of tags) {
    const [, name, content] = /^@(\w+)\s*([\s\S]*)$/.exec(tag) ?? []
    if (name === 'param' || name === 'typeParam' || name === 'template') {
      const [, param, words] =
        /^(?:\{[^}]*\}\s*)?\[?([\w$.]+)[^\s]*\s*(?:-\s+)?([\s\S]*)$/.exec(content) ?? []
      if (param) doc.params.push({ name: param, text: flat(words) })
    } else if (name === 'returns' || name === 'return')
      doc.returns = flat(content.replace(/^\{[^}]*\}\s*/, ''))
    else if (name === 'default' || name === 'defaultValue') doc.value = flat(content).replace(/\.$/, '')
    else if (name === 'example')
      doc.blocks.push(content.includes('```') ? content.trim() : fence(content.trim()))
    else if (name === 'throws') doc.blocks.push(`Throws ${flat(content)}`)
    else if (name === 'deprecated') doc.blocks.push(`**Deprecated.** ${flat(content)}`)
    else if (name === 'see') doc.blocks.push(`See ${flat(content)}`)
    else doc.blocks.push(...blocksOf(content))
  }
  return doc
}

/** A comment in one paragraph, with its default apart. @param {string} comment @returns {Documented} */
export function memberText(comment) {
  const { blocks, params, returns, value } = parseComment(comment)
  const words = [
    ...blocks.map(flat),
    ...params.map(({ name, text }) => `\`${name}\`: ${text.replace(/([^.])$/, '$1.')}`),
    ...(returns ? [`Returns ${returns.replace(/([^.])$/, '$1.')}`] : []),
  ].join(' ')
  return value === undefined ? takeDefault(words) : { text: words, value }
}

// A clause ends at a semicolon, or at a full stop that is no decimal point or part of a file ending.
const CLAUSE = '(?:[^.;]|\\.(?=\\w))+?'
const CLAUSE_BEFORE = '(?:[^.;:]|[.:](?=\\w))+?'

/**
 * Finds the default that a comment states, and takes the clause that states it out of the text where one clause does no more.
 * @param {string} text
 * @returns {Documented}
 */
export function takeDefault(text) {
  const forms = [
    // "Worker threads; all cores by default." and "All cores by default; more make no difference."
    `(?<before>^|[;:.] )(?<value>${CLAUSE_BEFORE}) by default(?<after>[.;]|$)`,
    // "The sizes; by default what the file says." and "By default, the ending of the path."
    `(?<before>^|[;:.] )by default,? (?<value>${CLAUSE})(?<after>[.;](?!\\w)|$)`,
    // "Sizes of the modes. Defaults to the largest index." and "Default: 10."
    `(?<before>^|[;:.] )(?:defaults? to|the default is|default:) (?<value>${CLAUSE})(?<after>[.;](?!\\w)|$)`,
  ]
  for (const form of forms) {
    const groups = new RegExp(form, 'i').exec(text)
    if (!groups?.groups) continue
    const { before, value, after } = groups.groups
    const head = text.slice(0, groups.index)
    const tail = text.slice(groups.index + groups[0].length)
    const joined =
      `${head}${head === '' ? '' : before === '. ' ? '.' : tail && after === ';' ? ';' : '.'}${tail}`.trim()
    return {
      text: capital(joined),
      value: value.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase()),
    }
  }
  // "'fast' (default), or 'paper'": the clause says more than the default, so the rest of it stays.
  const literal = /('[^']*'|`[^`]*`|\b(?:true|false|Infinity|-?\d[\d.]*)) \(default\)/.exec(text)
  return literal ? { text: text.replace(literal[0], literal[1]), value: literal[1] } : { text }
}

/** A default as Markdown: literals as code. @param {string | undefined} value */
export const defaultText = (value) => {
  if (value === undefined) return ''
  const isLiteral = /^('[^']*'|-?\d[\d.e-]*|true|false|Infinity|undefined|null)$/.test(value)
  return ` **Default:** ${isLiteral ? `\`${value}\`` : value}.`
}

/** @param {string} text */
const capital = (text) => text.replace(/^[a-z](?=[a-z ])/, (letter) => letter.toUpperCase())

/** Paragraphs, list items and fenced code. @param {string} text @returns {string[]} */
function blocksOf(text) {
  return text
    .split(/(```[\s\S]*?```)/)
    .flatMap((part) => (part.startsWith('```') ? [part] : part.split(/\n\s*\n|\n(?=- )/).map(flat)))
    .filter((block) => block !== '')
}

/** @param {string} text */
const flat = (text) => (text.startsWith('```') ? text : text.replace(/\s+/g, ' ').trim())

/** @param {string} code */
export const fence = (code) => `\`\`\`ts\n${code}\n\`\`\``

/**
 * Breaks a paragraph into lines. Code spans stay whole, and no line begins with what Markdown takes for a list or heading.
 * @param {string} text @param {string} [first] what the first line begins with @param {string} [indent] and the others
 */
export function wrap(text, first = '', indent = '') {
  if (text.startsWith('```')) return text.replace(/^/gm, indent)
  const words = text
    .replace(/`[^`]*`|<(?=[A-Za-z/!])/g, (found) => (found === '<' ? '\\<' : found.replaceAll(' ', '\0')))
    .split(' ')
  const lines = []
  let line = first
  let isEmpty = true
  for (const word of words) {
    const startsBlock = /^(?:[-+*]|#+|=+|\d+[.)]|>.*)$/.test(word)
    if (!isEmpty && line.length + 1 + word.length > WIDTH && !startsBlock) {
      lines.push(line)
      line = indent + word
    } else line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line].join('\n').replaceAll('\0', ' ')
}
