/** `lacuna man`: the manual page of the program, generated from the commands. */
import { Command, type Option } from 'commander'
import { version } from 'lacuna'
import { commandsOf } from '../options/help.ts'
import { print } from '../print/print.ts'

/** Creates the command `man`. */
export function manCommand(): Command {
  return new Command('man')
    .description('Prints the manual page of all commands and options, for man.')
    .addHelpText(
      'after',
      `
Examples:
  lacuna man | man -l -
  lacuna man > ~/.local/share/man/man1/lacuna.1`,
    )
    .action(async (_, command: Command) => {
      if (command.parent) await print(manPage(command.parent))
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

/** The lines of a command: usage, description, options and examples. */
function commandLines(command: Command): string[] {
  const words = namesOf(command).join(' ')
  const usage = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return [
    `.SS ${escapeRoff(['lacuna', words, ...usage].join(' '))}`,
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
