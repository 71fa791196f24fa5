/** The examples of Markdown pages: fenced and indented blocks, and the commands of those that are for a shell. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A block of a page; `language` is that of the fence, or shell for an indented or plain block with commands. */
export interface Block {
  page: string
  /** Line of the page, from 1. */
  line: number
  language: string
  text: string
}

/** A command of a shell block, without prompt and comment, and the output that the page shows below it. */
export interface Command {
  page: string
  line: number
  text: string
  shown: string
}

/** Programs that examples call. A line of a shell block that begins with none of them is shown output. */
const COMMAND =
  /^(?:\$ )?((?:[A-Z_]+=\S+ )*(?:lacuna|npm|npx|node|mpirun|srun|curl|printf|echo|docker|pip|python3?|cd|git|sudo|firefox-esr)\s.*)$/

/** The READMEs and all pages under docs, site and bench, by their path in the repository. */
export function pages(): string[] {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap(({ name, parentPath, path }) => {
      if (name === 'node_modules' || name.startsWith('.')) return []
      const inside = join(parentPath ?? path, name).slice(root.length)
      if (name.endsWith('.md')) return [inside]
      return name.includes('.') ? [] : below(inside)
    })
  const top = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'packages/cli/README.md', 'python/README.md']
  return [...top, ...['docs', 'site', 'bench'].filter((name) => existsSync(join(root, name))).flatMap(below)]
    .filter((page) => existsSync(join(root, page)))
    .sort()
}

/** Returns the text of a page. */
export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')

/** Returns all blocks of a page. */
export function blocksOf(page: string, text = textOf(page)): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  const add = (line: number, language: string, body: string[]): void => {
    const isShell =
      /^(sh|bash|shell|console)$/.test(language) || (!language && body.some((l) => COMMAND.test(l)))
    blocks.push({ page, line, language: isShell ? 'shell' : language, text: body.join('\n').trimEnd() })
  }
  for (let at = 0; at < lines.length; at++) {
    const fence = /^( *)```+(\w*)/.exec(lines[at])
    const start = at + 1
    if (fence) {
      while (!/^ *```/.test(lines[++at]))
        if (at >= lines.length) throw new Error(`${page}:${start}: the fence is not closed`)
      add(
        start,
        fence[2],
        lines.slice(start, at).map((line) => line.slice(fence[1].length)),
      )
    } else if (/^ {4}\S/.test(lines[at]) && (lines[at - 1] ?? '').trim() === '') {
      while (/^ {4}/.test(lines[at + 1] ?? '') || (lines[at + 1] === '' && /^ {4}/.test(lines[at + 2] ?? '')))
        at++
      add(
        start,
        '',
        lines.slice(start - 1, at + 1).map((line) => line.slice(4)),
      )
    }
  }
  return blocks
}

/** Returns the commands of a shell block; text after # or five blanks is a comment. A command goes on in the next line after a backslash or in open quotes. */
export function commandsOf({ page, line, text }: Block): Command[] {
  const commands: Command[] = []
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const [, first] = COMMAND.exec(lines[at]) ?? []
    if (first === undefined) {
      const last = commands.at(-1)
      if (last) last.shown += `${lines[at]}\n`
      continue
    }
    const start = line + at
    let whole = first
    while (isOpen(whole) && at + 1 < lines.length) whole += `\n${lines[++at]}`
    commands.push({ page, line: start, text: whole.replace(/\s+#\s.*$| {5,}.*$/s, ''), shown: '' })
  }
  return commands.map((command) => ({ ...command, shown: command.shown.trim() }))
}

/** Whether a shell would read on: after a backslash or a pipe at the end, or within double quotes. */
const isOpen = (text: string): boolean =>
  /[\\|]$/.test(text) ||
  (text
    .replace(/\\./g, '')
    .replace(/'[^']*'/g, '')
    .split('"').length -
    1) %
    2 ===
    1
