// Types as a reader wants to see them: short aliases that are not exported are spelled out, destructured parameters get a name,
// long signatures are broken into lines, and the types that are mentioned are collected for links.
// @ts-check
import { blank, bodyOf, closingBracket, findOutside, oneLine, parseMembers, splitOutside } from './parse.mjs'

/** @typedef {import('./program.mjs').Declaration} Declaration */
/** @typedef {import('./program.mjs').Program} Program */
/** @typedef {import('./parse.mjs').Member} Member */

/**
 * What printing needs to know.
 * @typedef {object} Scope
 * @property {Program} program
 * @property {ReadonlySet<Declaration>} exported everything that an entry point exports
 */

/** A member, and where it is declared. @typedef {Member & { file: string }} OwnedMember */

/** An exported type whose members are inherited. @typedef {{ type: Declaration, names: string[] }} Inherited */

const LONGEST_ALIAS = 70
const WIDTH = 100

/**
 * A type or signature in one line, and the types it mentions.
 * @param {Scope} scope @param {string} text @param {string} file where the text stands @param {Set<Declaration>} mentions is added to
 * @returns {string}
 */
export function showType(scope, text, file, mentions) {
  const line = nameParameters(oneLine(text.replace(/import\(["'][^"']+["']\)\./g, '')))
  const plain = blank(line)
  return line.replace(/\b[A-Z]\w*/g, (name, at) => {
    // Not in a string, and not the name of a property.
    if (
      plain.slice(at, at + name.length) !== name ||
      plain[at - 1] === '.' ||
      /^\??: /.test(plain.slice(at + name.length))
    )
      return name
    const found = scope.program.resolve(name, file)
    if (!found) return name
    const short = scope.exported.has(found) ? undefined : shortAlias(found)
    if (short === undefined) {
      mentions.add(found)
      return name
    }
    const shown = showType(scope, short, found.file, mentions)
    const binds = /^(\[| &)/.test(line.slice(at + name.length)) || /(& |keyof )$/.test(line.slice(0, at))
    return binds && /[|&]/.test(shown) ? `(${shown})` : shown
  })
}

/** The definition of an alias that is as well written out. @param {Declaration} declaration */
export function shortAlias({ kind, name, statements: [{ text }] }) {
  if (kind !== 'type') return undefined
  const definition = oneLine(text.slice(text.indexOf('=') + 1))
  const isPlain =
    !/^type \w+</.test(text) &&
    !/[{`]|=>|\b(typeof|ReturnType)\b/.test(definition) &&
    !new RegExp(`\\b${name}\\b`).test(definition)
  return isPlain && definition.length <= LONGEST_ALIAS ? definition : undefined
}

/**
 * Gives destructured parameters a name, `{ time, seed }?: SplitByTimeOptions` becomes `options?: SplitByTimeOptions`, and drops
 * `this` from methods.
 * @param {string} line
 * @returns {string}
 */
function nameParameters(line) {
  const plain = blank(line)
  let shown = ''
  for (let at = 0; at < line.length; at++) {
    shown += line[at]
    if (plain[at] !== '(') continue
    const end = closingBracket(plain, at)
    const inside = line.slice(at + 1, end)
    const parts = splitOutside(inside, ',')
    const isList = parts.length > 0 && parts.every((part) => /^(\.\.\.)?[\w$]+\??:|^[{[]/.test(part))
    shown += isList
      ? parts
          .filter((part) => !part.startsWith('this:'))
          .map(nameParameter)
          .join(', ')
      : nameParameters(inside)
    shown += ')'
    at = end
  }
  return shown
}

/** @param {string} parameter */
function nameParameter(parameter) {
  const at = findOutside(blank(parameter), ':')
  if (at < 0) return nameParameters(parameter)
  const type = nameParameters(parameter.slice(at + 1).trim())
  const name = parameter.slice(0, at)
  if (!/^[{[]/.test(name)) return `${name}: ${type}`
  const [noun = ''] = type.match(/[A-Z]\w*(?=[^\w<]|$)/) ?? []
  const isOptions = noun === '' || type.startsWith('{') || noun.endsWith('Options')
  const given = isOptions
    ? 'options'
    : noun.endsWith('Fields')
      ? 'fields'
      : noun[0].toLowerCase() + noun.slice(1)
  return `${given}${name.endsWith('?') ? '?' : ''}: ${type}`
}

/**
 * Breaks a signature or definition that is too long for a line: parameters, members and alternatives get lines of their own.
 * @param {string} line @param {string} [indent]
 * @returns {string}
 */
export function breakLines(line, indent = '') {
  if (indent.length + line.length <= WIDTH) return line
  const deeper = `${indent}  `
  const plain = blank(line)
  const equals = /^type [^=]*= /.exec(line)
  if (equals) {
    const alternatives = splitOutside(line.slice(equals[0].length), '|')
    if (alternatives.length > 1)
      return `${equals[0].trim()}\n${alternatives.map((one) => `${deeper}| ${breakLines(one, `${deeper}  `)}`).join('\n')}`
  }
  for (let at = 0; at < plain.length; at++) {
    if (plain[at] === '<') at = closingBracket(plain, at)
    if (plain[at] !== '(' && plain[at] !== '{') continue
    const end = closingBracket(plain, at)
    const separator = plain[at] === '(' ? ',' : ';'
    const parts = splitOutside(line.slice(at + 1, end), separator)
    if (parts.length === 0) continue
    const broken = parts.map((part) => `${deeper}${breakLines(part, deeper)}${separator === ',' ? ',' : ''}`)
    const tail = line.slice(end)
    const lastLine = tail.length > 1 ? breakLines(tail, indent) : tail
    return `${line.slice(0, at + 1)}\n${broken.join('\n')}\n${indent}${lastLine}`
  }
  return line
}

/**
 * The types after `extends` in the head of an interface or class, or after `implements`.
 * @param {Declaration} declaration @param {'extends' | 'implements'} word
 */
export function basesOf({ kind, statements: [{ text }] }, word) {
  if (kind !== 'interface' && kind !== 'class') return []
  const head = text.slice(0, findOutside(blank(text), '{'))
  const heads = splitHead(head)
  return splitOutside(heads[word], ',')
}

/** The head of an interface or class, by its parts. @param {string} head */
function splitHead(head) {
  const plain = blank(head)
  const parts = { extends: '', implements: '' }
  /** @param {string} word */
  const find = (word) => {
    for (let at = 0; at < plain.length; at++) {
      if (plain[at] === '<') at = closingBracket(plain, at)
      else if (plain.startsWith(` ${word} `, at)) return at
    }
    return -1
  }
  const [extending, implementing] = [find('extends'), find('implements')]
  if (extending >= 0) parts.extends = head.slice(extending + 9, implementing < 0 ? head.length : implementing)
  if (implementing >= 0) parts.implements = head.slice(implementing + 12)
  return parts
}

/**
 * The members of an interface, class or object type: its own and those of bases that are not exported, and by name those of
 * bases that are.
 * @param {Scope} scope @param {Declaration} declaration
 * @returns {{ members: OwnedMember[], inherited: Inherited[] } | undefined} undefined where there are no members to list
 */
export function membersOf(scope, declaration) {
  const { kind, file, statements } = declaration
  const text = statements[0].text
  const isObject =
    kind === 'type' &&
    /^type [^=]*=\s*\{[\s\S]*\};?$/.test(text) &&
    !/^type [^=]*=\s*\{\s*\[\w+ in /.test(text)
  if (kind !== 'interface' && kind !== 'class' && !isObject) return undefined
  const body = bodyOf(isObject ? text.slice(text.indexOf('=') + 1) : text) ?? ''
  const members = parseMembers(body)
    .filter(({ name, modifiers }) => !name.startsWith('#') && !/private|protected/.test(modifiers.join()))
    .map((member) => ({ ...member, file }))
  /** @type {Inherited[]} */
  const inherited = []
  const own = new Set(['constructor', ...members.map(({ name }) => name)])
  for (const base of basesOf(declaration, 'extends')) {
    const selected = selectMembers(scope, base, file)
    if (!selected) continue
    const added = selected.members.filter(({ name }) => !own.has(name))
    const named = selected.inherited.map(({ type, names }) => ({
      type,
      names: names.filter((name) => !own.has(name)),
    }))
    members.push(...added)
    inherited.push(...named)
    for (const name of [...added.map(({ name }) => name), ...named.flatMap(({ names }) => names)])
      own.add(name)
  }
  return { members, inherited }
}

/**
 * The members of a type that is named after `extends`, also through Omit, Pick, Partial and Readonly.
 * @param {Scope} scope @param {string} text @param {string} file
 * @returns {{ members: OwnedMember[], inherited: Inherited[] } | undefined}
 */
function selectMembers(scope, text, file) {
  const [, tool, rest] = /^(Omit|Pick|Partial|Readonly|Required)<([\s\S]*)>$/.exec(text) ?? []
  if (tool) {
    const [type, keys = ''] = splitOutside(rest, ',')
    const selected = selectMembers(scope, type, file)
    if (!selected) return undefined
    const listed = new Set([...keys.matchAll(/'([^']+)'/g)].map(([, key]) => key))
    /** @param {string} name */
    const isKept = (name) => (tool === 'Omit' ? !listed.has(name) : tool === 'Pick' ? listed.has(name) : true)
    return {
      members: selected.members
        .filter(({ name }) => isKept(name))
        .map((member) =>
          tool === 'Partial' || tool === 'Required' ? { ...member, optional: tool === 'Partial' } : member,
        ),
      inherited: selected.inherited.map(({ type, names }) => ({ type, names: names.filter(isKept) })),
    }
  }
  const [name] = /^\w+/.exec(text) ?? ['']
  const found = scope.program.resolve(name, file)
  if (!found) return undefined
  const all = membersOf(scope, found)
  if (!all || !scope.exported.has(found)) return all
  const names = [...all.members.map(({ name }) => name), ...all.inherited.flatMap(({ names }) => names)]
  return {
    members: [],
    inherited: [{ type: found, names: [...new Set(names)].filter((name) => name !== 'constructor') }],
  }
}

/**
 * The comment of a member, or that of the same member in a base or an implemented interface.
 * @param {Scope} scope @param {Declaration} declaration @param {OwnedMember} member
 * @returns {string}
 */
export function commentOf(scope, declaration, member) {
  if (member.comment || member.name === 'constructor') return member.comment
  for (const base of [...basesOf(declaration, 'extends'), ...basesOf(declaration, 'implements')]) {
    const [, name] = /^(?:(?:Omit|Pick|Partial|Readonly|Required)<)*(\w+)/.exec(base) ?? []
    const found = name && scope.program.resolve(name, declaration.file)
    if (!found) continue
    const same = membersOf(scope, found)?.members.find(({ name }) => name === member.name)
    const comment = commentOf(scope, found, same ?? { ...member, comment: '' })
    if (comment) return comment
  }
  return ''
}
