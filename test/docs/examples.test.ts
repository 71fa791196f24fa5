/**
 * Every shell and TypeScript block of the README, docs and site runs as it is printed, in a folder with small data under
 * the names that the page uses, and prints what the page shows. exceptions.ts lists what does not run here, and why. Python
 * blocks run in python/tests/test_docs.py, and those of docs/formats.md in test/python/arithmetic.test.ts.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { lacuna, type Run } from '../cli/lacuna.ts'
import { type Served, startServer } from '../cli/serve/served.ts'
import { type Block, blocksOf, type Command, commandsOf, pages } from './blocks.ts'
import { firstMissing, programOf } from './compare.ts'
import { hasReal } from './data.ts'
import { exceptionOf, NO_EXAMPLES } from './exceptions.ts'
import { EXPECTED } from './expected.ts'
import { FOLDERS, prepare } from './folders.ts'
import { endPrograms, runProgram } from './programs.ts'

/** SwiftShader of Debian's chromium, in place of a GPU. */
const ENV = { VK_ICD_FILENAMES: '/usr/lib/chromium/vk_swiftshader_icd.json' }
/** Pages whose shown output is that of real data: it is compared only where that data is. */
const NEEDS_REAL = ['docs/answers.md', 'docs/data.md']
/** Commands whose shown figures are of a longer table than the page has. */
const OTHER_FIGURES = ['lacuna convert model.npz factors.csv']
/** Address that the pages show; the server of a test has another port. */
const SHOWN_ADDRESS = 'http://127.0.0.1:4243'

const ran: Record<string, number> = {}
const excepted: string[] = []

/** The examples of a page: its shell and TypeScript blocks. */
const examplesOf = (page: string): Block[] =>
  page in NO_EXAMPLES ? [] : blocksOf(page).filter(({ language }) => /^(shell|ts|typescript)$/.test(language))

const withExamples = pages().filter((page) => examplesOf(page).length > 0)

/** Words of a command, as bash splits them and expands file names. */
const wordsOf = (cwd: string, text: string): string[] =>
  execFileSync('bash', ['-c', `lacuna() { printf '%s\\0' "$@"; }\n${text}`], { cwd, encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

/** Whether an example runs; one that does not is noted with its reason. */
function runs(page: string, line: number, text: string): boolean {
  const reason = exceptionOf(page, text)
  if (reason === undefined) ran[page] = (ran[page] ?? 0) + 1
  else excepted.push(`${page}:${line}  ${text.split('\n')[0].slice(0, 60)}  (${reason})`)
  return reason === undefined
}

/** A page while its examples run: its folder, and the server that an example has started. */
class Session {
  served: Served | undefined
  readonly cwd: string
  constructor(cwd: string) {
    this.cwd = cwd
  }

  /** The text of an example with the address of the page's server. */
  address(text: string): string {
    return this.served
      ? text.replaceAll(`${SHOWN_ADDRESS}/`, this.served.url).replaceAll(SHOWN_ADDRESS, this.served.url)
      : text
  }

  async stop(): Promise<void> {
    const code = await this.served?.stop()
    this.served = undefined
    if (code !== undefined) expect(code, 'the exit code of the server').toBe(0)
  }

  /** Runs a command of the page. */
  async run({ text, shown }: Command): Promise<Run> {
    const { cwd } = this
    if (!/^lacuna\s/.test(text) || /[|>&]\s/.test(text.replace(/"[^"]*"|'[^']*'/g, ''))) {
      const shell = `lacuna() { '${process.execPath}' "$0" "$@"; }\n${this.address(text)}`
      return lacuna(['-c', shell], { cwd, shell: true })
    }
    const words = wordsOf(cwd, text)
    if (words[0] === 'serve' || words[0] === 'studio') {
      await this.stop()
      const port = words.indexOf('--port')
      if (port > 0) words.splice(port, 2)
      if (words[0] === 'studio' && !words.includes('--no-open')) words.push('--no-open')
      this.served = await startServer(words, { cwd })
      const response = await fetch(this.served.url)
      return { code: response.ok ? 0 : 1, stdout: '', stderr: '' }
    }
    if (!shown.startsWith('^C')) return lacuna(words, { cwd, env: ENV })
    let sent = false
    const run = await lacuna(words, {
      cwd,
      during: (pid, stderr) => {
        if (!sent && /epoch +\d/.test(stderr)) process.kill(pid, 'SIGINT')
        sent ||= /epoch +\d/.test(stderr)
      },
    })
    return { ...run, code: run.code === 130 ? 0 : run.code, stdout: `^C\n${run.stdout}` }
  }
}

/** Text of the files that a command names, which a page may show in place of its output. */
const filesOf = (cwd: string, text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => /\.(csv|tsv|json|ndjson)$/.test(word) && existsSync(join(cwd, word)))
    .filter((word) => statSync(join(cwd, word)).size < 100_000)
    .map((word) => readFileSync(join(cwd, word), 'utf8'))
    .join('\n')

async function runCommand(session: Session, command: Command): Promise<void> {
  const { page, line, text, shown } = command
  const { code, stdout, stderr } = await session.run(command)
  const where = `${page}:${line}: ${text}`
  const isCompared =
    shown !== '' &&
    (hasReal || !NEEDS_REAL.includes(page)) &&
    !OTHER_FIGURES.some((start) => text.startsWith(start))
  const wanted = shown.startsWith('lacuna: ') ? 2 : 0
  const end = `${stdout.slice(-1000)}${stderr.slice(-1000)}`
  expect(code, `the exit code of ${where}\n${end}`).toBe(wanted)
  // A terminal shows both streams in either order.
  const files = filesOf(session.cwd, text)
  const printed = `${stdout}\n${stderr}\n${stdout}\n${files}`.replaceAll(/node \S+\/lacuna\.js/g, 'lacuna')
  if (isCompared)
    expect(
      firstMissing(shown.replace(/^\^C/, ''), printed),
      `what ${where} does not print:\n${end}`,
    ).toBeUndefined()
  for (const [on, part, pattern] of EXPECTED)
    if (on === page && text.includes(part)) expect(printed, where).toMatch(pattern)
}

describe('examples', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'lacuna-docs-'))
  afterAll(async () => {
    rmSync(cwd, { recursive: true })
    const total = Object.values(ran).reduce((sum, n) => sum + n, 0)
    console.log(
      `${total} examples of ${Object.keys(ran).length} pages ran; ${excepted.length} did not:\n${excepted.join('\n')}`,
    )
    expect(await endPrograms(), 'the exit code of the process that ran the TypeScript examples').toBe(0)
  })

  it('every page with examples has a folder for them', () => {
    expect(
      withExamples.filter((page) => !(page in FOLDERS)),
      'pages to add to test/docs/folders.ts',
    ).toEqual([])
  })

  it.each(withExamples)('%s runs as it is printed', { timeout: 300_000 }, async (page) => {
    const folder = FOLDERS[page] ?? {}
    const session = new Session(mkdtempSync(join(cwd, 'page-')))
    await prepare(session.cwd, folder)
    for (const command of folder.first ?? []) {
      const { code, stderr } = await lacuna(command.split(' '), { cwd: session.cwd })
      expect({ command, code, stderr }).toMatchObject({ code: 0 })
    }
    let programs = 0
    try {
      for (const block of examplesOf(page)) {
        if (block.language === 'shell') {
          for (const command of commandsOf(block))
            if (runs(page, command.line, command.text)) {
              const [start, change] = folder.ahead ?? []
              if (start && command.text.startsWith(start)) change?.(session.cwd)
              await runCommand(session, command)
            }
          continue
        }
        const before = folder.before?.[programs++]
        if (!runs(page, block.line, block.text)) continue
        const { error, differences } = await runProgram(
          session.cwd,
          session.address(programOf(block.text, before)),
          ENV,
        )
        expect(error, `${page}:${block.line}`).toBeUndefined()
        if (hasReal || !NEEDS_REAL.includes(page)) expect(differences, `${page}:${block.line}`).toEqual([])
      }
    } finally {
      await session.stop()
    }
  })

  it('the commands that the table of expectations names are on their pages', () => {
    const commands = withExamples.flatMap((page) =>
      examplesOf(page).flatMap((block) => (block.language === 'shell' ? commandsOf(block) : [])),
    )
    const isThere = ([page, part]: (typeof EXPECTED)[number]): boolean =>
      commands.some((command) => command.page === page && command.text.includes(part))
    expect(EXPECTED.filter((expected) => !isThere(expected))).toEqual([])
  })
})
