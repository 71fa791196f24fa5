/** Help that fits the terminal, with options under headings. */
import type { Command } from 'commander'
import { FIRST_OPTIONS, isHelpAll, shortenHelp } from './firstOptions.ts'

/** Headings of options in the help, each with the attribute names of its options. */
const OPTION_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Modelling:': [
    'rank',
    'solver',
    'method',
    'sample',
    'lambda',
    'maxInner',
    'missing',
    'link',
    'prior',
    'noise',
    'loss',
    'lags',
    'timePrior',
    'extend',
    'features',
    'choose',
    'mergeModes',
    'split',
    'seed',
    'initial',
    'paper',
    'plain',
    'replaceKnown',
  ],
  'When to stop, and entries held out:': [
    'epochs',
    'seconds',
    'tolerance',
    'validation',
    'patience',
    'folds',
    'best',
    'foldBy',
    'ordered',
    'starts',
    'plot',
    'test',
    'testEntries',
    'by',
    'time',
    'leaveOneOut',
  ],
  'Running:': ['engine', 'threads', 'parts', 'resume', 'checkpointEvery', 'mpi', 'mpiLibrary'],
  'Reading:': ['dims', 'negative', 'variable', 'mask', 'entries', 'snr', 'perChannel', 'holeColour', 'truth'],
  'Tables:': [
    'modes',
    'value',
    'weight',
    'merge',
    'index',
    'dates',
    'timezone',
    'decimal',
    'thousands',
    'melt',
    'sheet',
    'query',
    'database',
    'recipe',
    'unknown',
  ],
  'Asking:': [
    ...[
      'horizon',
      'step',
      'backtest',
      'for',
      'of',
      'n',
      'at',
      'slice',
      'top',
      'ranking',
      'relevant',
      'exclude',
      'minEntries',
    ],
    ...['data', 'missingOnly', 'names', 'strongest', 'fallback', 'clip', 'interval', 'absent', 'addSteps'],
  ],
  'Output:': [
    'html',
    'title',
    'modeNames',
    'output',
    'format',
    'compare',
    'damaged',
    'completed',
    'factors',
    'json',
    'quiet',
  ],
}

/** Headings of options that are another thing in one command, by command and attribute name. */
const OWN_GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  evaluate: { test: 'Reading:' },
  synth: { test: 'Output:', testEntries: 'Output:' },
  image: { missing: 'Reading:', mask: 'Reading:' },
}

/** Headings of commands in the help, each with the names of its commands. */
const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Modelling:': ['complete', 'fold', 'update', 'image'],
  'Answers:': ['predict', 'top', 'similar', 'forecast', 'components', 'evaluate', 'fill', 'serve'],
  'Data:': ['info', 'convert', 'split', 'data', 'synth'],
  'To look at and to try:': ['studio', 'demo', 'paper'],
  'This program:': ['completion', 'man'],
}

/** The heading under which a name is listed; undefined if it is under none. */
const groupOf = (groups: Readonly<Record<string, readonly string[]>>, name: string): string | undefined =>
  Object.keys(groups).find((group) => groups[group].includes(name))

/** Options of a command are put under headings if there are more than this many. */
const FEW_OPTIONS = 8

/** Puts options and commands under headings, and wraps all help texts to the width of the terminal. */
export function groupHelpOptions(program: Command): void {
  for (const command of commandsOf(program)) {
    const group = groupOf(COMMAND_GROUPS, command.name())
    if (group && command.parent === program) command.helpGroup(group)
    const isShort = FIRST_OPTIONS[command.name()] !== undefined && !isHelpAll()
    if (command.options.length > FEW_OPTIONS && !isShort)
      for (const option of command.options) {
        const name = option.attributeName()
        const heading = OWN_GROUPS[command.name()]?.[name] ?? groupOf(OPTION_GROUPS, name)
        if (heading) option.helpGroup(heading)
      }
    shortenHelp(command)
    command.configureOutput({
      getOutHelpWidth: helpWidth,
      getErrHelpWidth: helpWidth,
      writeOut: (text) => process.stdout.write(fitText(text, helpWidth())),
    })
  }
}

/** The command and all its subcommands, at any depth. */
export const commandsOf = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsOf)]

/**
 * Width of help texts in columns: that of the terminal, else $COLUMNS, else 80; limited to 40 to 120 columns.
 */
function helpWidth(): number {
  const columns = process.stdout.columns ?? Number(process.env.COLUMNS)
  return Math.max(40, Math.min(120, columns > 0 ? columns : 80))
}

/** Wraps a help text to a width in columns: paragraphs are filled, examples are broken by backslashes. */
export function fitText(text: string, width: number): string {
  const lines: string[] = []
  let paragraph = ''
  const column = remarkColumn(text, width)
  const flush = () => {
    if (paragraph !== '') lines.push(...wrapText(paragraph, width, ''))
    paragraph = ''
  }
  for (const line of text.split('\n')) {
    const isProse = /^[^\s]/.test(line) && !/:$/.test(line)
    if (isProse) {
      paragraph += `${paragraph && ' '}${line}`
      continue
    }
    flush()
    const isExample = /^ {2}(lacuna|printf|echo) /.test(line)
    if (line.length <= width && !(isExample && column !== undefined)) lines.push(line)
    else if (isExample) lines.push(...breakExample(line.trim(), width, column))
    else lines.push(...wrapText(line.trimStart(), width, ' '.repeat(/^ */.exec(line)![0].length)))
  }
  flush()
  return lines.join('\n')
}

/**
 * The column in which the remarks of examples begin, where some do not fit into the width as they are written;
 * undefined if all fit.
 */
function remarkColumn(text: string, width: number): number | undefined {
  const examples = text.split('\n').filter((line) => /^ {2}lacuna .* {2}/.test(line))
  if (examples.every((line) => line.length <= width)) return undefined
  return width - Math.max(...examples.map((line) => line.trim().split(/ {2,}/)[1]?.length ?? 0))
}

/**
 * Breaks an example `lacuna COMMAND --option value    remark` into lines of a width: the remark begins in its column, or
 * goes before the command, as a comment, if that is too long; the command over several lines that end with backslashes.
 */
function breakExample(line: string, width: number, column = 0): string[] {
  const [command, remark] = line.split(/ {2,}/)
  if (remark !== undefined && command.length + 4 <= column) return [`  ${command}`.padEnd(column) + remark]
  // An option stays with its first value.
  const words = command.match(/-\S+ ("[^"]*"|'[^']*'|[^\s-]\S*)|"[^"]*"|'[^']*'|\S+/g) ?? []
  const lines: string[] = remark === undefined ? [] : wrapText(`# ${remark}`, width, '  ')
  let current = ' '
  for (const word of words) {
    if (current.length + 1 + word.length + 2 > width && current.trim() !== '') {
      lines.push(`${current} \\`)
      current = '     '
    }
    current += ` ${word}`
  }
  return [...lines, current]
}

/** Breaks text at spaces into lines of a width, each with the indent before it; longer words stay whole. */
function wrapText(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let current = indent
  for (const word of text.split(' ')) {
    if (current.length + 1 + word.length > width && current.trim() !== '') {
      lines.push(current)
      current = indent
    }
    current += current.trim() === '' ? word : ` ${word}`
  }
  return [...lines, current]
}
