/** Chooses the options that the help of a command shows: the most used ones, or all with --help-all. */
import type { Command } from 'commander'

/**
 * Attribute names of the options that `--help` shows, in the order of use, for commands that have many; other
 * commands show all of theirs.
 */
export const FIRST_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  complete: ['modes', 'value', 'merge', 'rank', 'test', 'folds', 'best', 'seconds', 'missing', 'output'],
  evaluate: ['test', 'modes', 'value', 'ranking', 'exclude', 'names', 'json'],
  split: ['modes', 'value', 'test', 'validation', 'by', 'output', 'seed'],
  fold: ['modes', 'value', 'top', 'n', 'names', 'output'],
  update: ['modes', 'value', 'data', 'output'],
  forecast: ['modes', 'value', 'horizon', 'step', 'for', 'interval', 'backtest', 'output'],
  fill: ['modes', 'value', 'melt', 'interval', 'absent', 'addSteps', 'slice', 'rank', 'output'],
  info: ['modes', 'value', 'merge', 'rank', 'engines', 'json'],
  convert: ['modes', 'value', 'merge', 'format', 'dims'],
}

/** Whether the user asks for the help of all options. */
export const isHelpAll = (): boolean => process.argv.includes('--help-all')

/**
 * Hides the options that are not used first from the help of commands with many, unless all are asked for, and
 * adds --help-all, which is --help with all options. It must be replaced before the arguments are parsed.
 */
export function shortenHelp(command: Command): void {
  const first = FIRST_OPTIONS[command.name()]
  if (!first) return
  const hidden = command.options.filter((option) => !option.hidden && !first.includes(option.attributeName()))
  if (hidden.length === 0) return
  if (!isHelpAll()) {
    for (const option of hidden) option.hideHelp()
    const place = (name: string): number => (first.includes(name) ? first.indexOf(name) : first.length)
    const { visibleOptions } = command.createHelp()
    command.configureHelp({
      ...command.configureHelp(),
      visibleOptions: (own) =>
        visibleOptions
          .call(command.createHelp(), own)
          .sort((a, b) => place(a.attributeName()) - place(b.attributeName())),
    })
    command.addHelpText(
      'after',
      `\n${hidden.length} more options, by topic: lacuna ${command.name()} --help-all`,
    )
  }
  command.option('--help-all', 'display help for all options, by topic')
}

/** The arguments of the program with --help in place of --help-all. */
export const withPlainHelp = (argv: readonly string[]): string[] =>
  argv.map((argument) => (argument === '--help-all' ? '--help' : argument))
