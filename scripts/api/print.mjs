// Prints declarations as Markdown: one heading per name, signatures as code, members as a list.
// @ts-check
import { defaultText, fence, memberText, parseComment, wrap } from './comments.mjs'
import { blank, bodyOf, findOutside, parseMembers } from './parse.mjs'
import { breakLines, commentOf, membersOf, showType } from './types.mjs'

/** @typedef {import('./program.mjs').Declaration} Declaration */
/** @typedef {import('./types.mjs').Scope} Scope */
/** @typedef {import('./types.mjs').OwnedMember} OwnedMember */
/** @typedef {(declaration: Declaration) => string} Link the Markdown of a link to a type, or its name where it is not on the page */

/**
 * One section.
 * @param {Scope} scope @param {Declaration} declaration @param {Link} linkTo
 * @returns {{ text: string, mentions: Set<Declaration> }}
 */
export function printDeclaration(scope, declaration, linkTo) {
  /** @type {Set<Declaration>} */
  const mentions = new Set()
  const listed = membersOf(scope, declaration)
  const blocks = [`### ${declaration.name}`]
  if (listed) blocks.push(`\`${showHead(scope, declaration, mentions)}\``, ...printComment(declaration))
  else blocks.push(...printComment(declaration), fence(showSignatures(scope, declaration, mentions)))
  if (listed && listed.members.length > 0)
    blocks.push(
      groupOverloads(listed.members)
        .map((group) => printMember(scope, declaration, group, mentions))
        .join('\n'),
    )
  for (const { type, names } of listed?.inherited ?? []) {
    const all = names.map((name) => `\`${name}\``).join(', ')
    if (names.length > 0) blocks.push(wrap(`Inherited from ${linkTo(type)}: ${all}.`))
  }
  const bases = new Set(listed?.inherited.map(({ type }) => type))
  const linked = [...mentions].filter((type) => type !== declaration && !bases.has(type)).map(linkTo)
  const links = [...new Set(linked)].filter((link) => link.startsWith('['))
  if (links.length > 0) blocks.push(wrap(`Types: ${links.join(', ')}.`))
  return { text: blocks.join('\n\n'), mentions }
}

/**
 * The overloads of a function, the most general one first: TypeScript, which takes the first that fits, has it last.
 * @param {Declaration} declaration
 */
const orderOverloads = ({ kind, statements }) => (kind === 'function' ? statements.toReversed() : statements)

/** The comment, or the first one of overloads, with parameters as a list. @param {Declaration} declaration */
function printComment(declaration) {
  const statements = orderOverloads(declaration)
  const { comment } = statements.find(({ comment }) => comment !== '') ?? statements[0]
  const { blocks, params, returns } = parseComment(comment)
  const printed = blocks.map((block) => wrap(block, '', block.startsWith('- ') ? '  ' : ''))
  const list = params.map(({ name, text }) => wrap(`\`${name}\` — ${text}`, '- ', '  '))
  if (returns) list.push(wrap(`Returns ${returns}`, '- ', '  '))
  if (list.length > 0) printed.push(list.join('\n'))
  return printed
}

/** `interface X extends Y`. @param {Scope} scope @param {Declaration} declaration @param {Set<Declaration>} mentions */
function showHead(scope, { kind, name, file, statements: [{ text }] }, mentions) {
  if (kind === 'type') return `type ${name}`
  /** @type {Set<Declaration>} */
  const named = new Set()
  const head = showType(scope, text.slice(0, findOutside(blank(text), '{')), file, named)
  // The members of bases that are not exported are listed in place.
  for (const type of named) if (scope.exported.has(type)) mentions.add(type)
  return head
}

/** All overloads, or the definition. @param {Scope} scope @param {Declaration} declaration @param {Set<Declaration>} mentions */
function showSignatures(scope, declaration, mentions) {
  const { file } = declaration
  const statements = orderOverloads(declaration)
  const first = statements.find(({ comment }) => comment !== '')
  return statements
    .flatMap((statement) => {
      const signature = breakLines(showType(scope, statement.text, file, mentions))
      if (statement === first || statement.comment === '') return [signature]
      return [wrap(parseComment(statement.comment).blocks.join(' '), '// ', '// '), signature]
    })
    .join('\n')
}

/** Members of one name that follow one another. @param {OwnedMember[]} members @returns {OwnedMember[][]} */
export function groupOverloads(members) {
  /** @type {OwnedMember[][]} */
  const groups = []
  for (const member of members) {
    const last = groups.at(-1)
    if (last && last[0].name === member.name && !last[0].modifiers.includes('static')) last.push(member)
    else groups.push([member])
  }
  return groups
}

/** @param {Scope} scope @param {Declaration} declaration @param {OwnedMember[]} group @param {Set<Declaration>} mentions */
function printMember(scope, declaration, group, mentions) {
  const isAccessor = group.every(({ modifiers }) => modifiers.includes('get') || modifiers.includes('set'))
  const shown = isAccessor
    ? [showAccessor(scope, group, mentions)]
    : group.map((member) => showMember(scope, member, mentions))
  const commented = group.find((member) => member.comment) ?? group[0]
  const { text, value } = memberText(commentOf(scope, declaration, commented))
  const words = `${text}${defaultText(value)}`.trim()
  const heads = [...new Set(shown)].map((one) => `\`${one}\``).join(', ')
  const line = wrap(words === '' ? heads : `${heads} — ${words}`, '- ', '  ')
  return [line, ...printInner(scope, group[0], mentions)].join('\n')
}

/** @param {Scope} scope @param {OwnedMember} member @param {Set<Declaration>} mentions */
function showMember(scope, { name, modifiers, optional, rest, file }, mentions) {
  const shown = modifiers.filter((modifier) => modifier === 'readonly' || modifier === 'static')
  const type = showType(scope, `${name}${optional ? '?' : ''}${rest}`, file, mentions)
  return [...shown, type].join(' ')
}

/** A getter reads as a property. @param {Scope} scope @param {OwnedMember[]} group @param {Set<Declaration>} mentions */
function showAccessor(scope, group, mentions) {
  const getter = group.find(({ modifiers }) => modifiers.includes('get'))
  const { name, modifiers, rest, file } = getter ?? group[0]
  const type = getter ? rest.replace(/^\(\)/, '') : rest.replace(/^\(\w+|\)$/g, '')
  const before = [
    ...(modifiers.includes('static') ? ['static'] : []),
    ...(group.some(({ modifiers }) => modifiers.includes('set')) ? [] : ['readonly']),
  ]
  return [...before, showType(scope, `${name}${type}`, file, mentions)].join(' ')
}

/** The members of an object type that a member has, where they have comments. @param {Scope} scope @param {OwnedMember} member @param {Set<Declaration>} mentions */
function printInner(scope, { rest, file }, mentions) {
  const body = /^:\s*(readonly )?\{/.test(rest) ? bodyOf(rest) : undefined
  if (body === undefined || !body.includes('/**')) return []
  return parseMembers(body).map((member) => {
    const { text, value } = memberText(member.comment)
    const words = `${text}${defaultText(value)}`.trim()
    const head = `\`${showMember(scope, { ...member, file }, mentions)}\``
    return wrap(words === '' ? head : `${head} — ${words}`, '  - ', '    ')
  })
}

/**
 * What the header comment of an entry point says, without the entry's name. That in Node may build on that in a browser.
 * @param {string} comment @param {string} [browserComment]
 */
export function headerText(comment, browserComment = '') {
  /** @param {string} text */
  const textOf = (text) => {
    const words = parseComment(text)
      .blocks.join(' ')
      .replace(/^lacuna\/\w+(?: in (?:Node|a browser))?: /, '')
    return words.replace(/^[a-z]/, (letter) => letter.toUpperCase())
  }
  const words = textOf(comment)
  if (words === '') return []
  return [
    wrap(
      /^The same, /.test(words) ? `${textOf(browserComment)} In Node: ${words.replace('The', 'the')}` : words,
    ),
  ]
}
