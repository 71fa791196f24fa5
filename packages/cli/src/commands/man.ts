/** `lacuna man`: the manual page of the program and the reference of the site, generated from the commands. */
import { Command, type Option } from 'commander'
import { version } from 'lacuna'
import { commandsOf } from '../options/help.ts'
import { print } from '../print/print.ts'

/** Creates the command `man`. */
export function manCommand(): Command {
  return new Command('man')
    .description('Prints the manual page of all commands and options, for man.')
    .option('--markdown', 'prints it as Markdown, with a section for each command')
    .addHelpText(
      'after',
      `
Examples:
  lacuna man | man -l -
  lacuna man > ~/.local/share/man/man1/lacuna.1`,
    )
    .action(async ({ markdown }: { markdown?: boolean }, command: Command) => {
      if (command.parent) await print(markdown ? referencePage(command.parent) : manPage(command.parent))
    })
}

/** Formats the manual page of a program, in roff with the macros of man(7). */
export function manPage(program: Command): string {
  const commands = commandsOf(program).filter((command) => command !== program)
  const lines = [
    `.TH LACUNA 1 "" "lacuna ${version}" "User Commands"`,
    '.SH NAME',
    'lacuna \\- sparse nonnegative CP (PARAFAC) tensor completion',
    '.SH SYNOPSIS',
    '.B lacuna',
    '.I COMMAND',
    '[\\fIARGUMENTS\\fR] [\\fIOPTIONS\\fR]',
    '.SH DESCRIPTION',
    escapeRoff(program.description()),
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    '0 for success, 2 for a mistake of the user (one sentence says what to do), 130 after Ctrl-C, 1 for a fault',
    'of the program.',
  ]
  return `${lines.join('\n')}\n`
}

/** Formats the reference of a program in Markdown: a section for each command, with a table of its options. */
export function referencePage(program: Command): string {
  const commands = commandsOf(program).filter((command) => command !== program)
  const lines = [
    '# Commands',
    '',
    `Every command and option of lacuna ${version}, generated from the program; \`lacuna COMMAND --help\` has examples.`,
    ...commands.flatMap((command) => [
      '',
      `## lacuna ${namesOf(command).join(' ')}`,
      '',
      escapeMarkdown(command.description()),
      '',
      `    lacuna ${[...namesOf(command), ...usageOf(command)].join(' ')}`,
      '',
      ...command.registeredArguments.map(
        (argument) => `- \`${argument.name()}\`: ${escapeMarkdown(argument.description)}`,
      ),
      '',
      ...optionTable(command.options.filter(isDocumented)),
    ]),
  ]
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`
}

/** A table of options; no lines if there are none. */
const optionTable = (options: readonly Option[]): string[] =>
  options.length === 0
    ? []
    : [
        '| option | meaning |',
        '| --- | --- |',
        ...options.map(
          (option) =>
            `| \`${option.flags.replaceAll('|', '\\|')}\` | ${escapeMarkdown(describeOption(option)).replaceAll('|', '\\|')} |`,
        ),
      ]

/** A text for Markdown: what would be markup or HTML is escaped. */
const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_[\]]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('{', '&#123;')

/** The lines of a command: usage, description, options and examples. */
function commandLines(command: Command): string[] {
  const words = namesOf(command).join(' ')
  return [
    `.SS ${escapeRoff(['lacuna', words, ...usageOf(command)].join(' '))}`,
    escapeRoff(command.description()),
    ...command.registeredArguments.flatMap((argument) => [
      '.TP',
      `.I ${escapeRoff(argument.name())}`,
      escapeRoff(argument.description),
    ]),
    ...command.options
      .filter(isDocumented)
      .flatMap((option) => ['.TP', `.B ${escapeRoff(option.flags)}`, escapeRoff(describeOption(option))]),
  ]
}

/** The arguments of a command as its usage shows them. */
const usageOf = (command: Command): string[] =>
  command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${name}>` : `[${name}]`
  })

/** Whether the manual describes an option: not a former name of another, nor the help itself. */
const isDocumented = ({ long }: Option): boolean => long !== '--help-all' && long !== '--duplicates'

/** The description of an option with its choices and default. */
function describeOption({ description, argChoices, defaultValue, long }: Option): string {
  const choices = argChoices ? ` (one of ${argChoices.join(', ')})` : ''
  // The number of threads depends on the machine that prints the page.
  const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean' && long !== '--threads'
  return `${description}${choices}${isShown ? ` (default: ${defaultValue})` : ''}`
}

/** The names that lead from the program to a command: data fetch. */
const namesOf = (command: Command): string[] =>
  command.parent ? [...namesOf(command.parent), command.name()] : []

/** A text for roff: backslashes, hyphens and leading dots are escaped. */
const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')
