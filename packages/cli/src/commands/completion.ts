/** `lacuna completion`: scripts for completion in shells, generated from the commands. */
import { Argument, Command, type Option } from 'commander'
import { catalogue } from '../datasets/index.ts'
import { print } from '../print/print.ts'

/** Generators of the completion scripts by shell. */
const shells = { bash: bashScript, zsh: zshScript, fish: fishScript }
/** Names of the shells. */
type Shell = keyof typeof shells

/** Creates the command `completion`. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Prints a script that completes commands, options and files in your shell.')
    .addArgument(new Argument('<shell>', 'which one').choices(Object.keys(shells)))
    .addHelpText(
      'after',
      `
Examples:
  source <(lacuna completion bash)                           for this shell; in ~/.bashrc for all
  lacuna completion zsh > "\${fpath[1]}/_lacuna"
  lacuna completion fish > ~/.config/fish/completions/lacuna.fish`,
    )
    .action(async (shell: Shell, _, command: Command) => {
      const program = command.parent
      if (program) await print(shells[shell](program))
    })
}

/** A command and the words that follow `lacuna` on the command line: 'complete', 'data fetch', or ''. */
interface CommandPath {
  words: string
  command: Command
}

/** Lists a command and, recursively, its subcommands. @param words those that lead to the command */
function listCommands(command: Command, words = ''): CommandPath[] {
  const below = command.commands.flatMap((one) => listCommands(one, `${words} ${one.name()}`.trim()))
  return [{ words, command }, ...below]
}

/** All flags of a command, long and short, and --help. */
const allFlags = ({ options }: Command): string[] => [...options.flatMap(flagsOf), '--help']
/** The flags of an option, the long one first. */
const flagsOf = ({ short, long }: Option): string[] => [long, short].filter((flag) => flag !== undefined)
/** Whether an option takes a value, required or optional. */
const takesValue = ({ required, optional }: Option): boolean => required || optional
/** Whether the value of an option is a path, by its placeholder: <file>, <model>, <folder> … */
const takesFile = ({ flags }: Option): boolean => /<[^>]*(file|model|folder|image|mask)[^>]*>/.test(flags)
/** Whether an option takes a model (.npz), by its placeholder. */
const takesModel = ({ flags }: Option): boolean => /<[^>]*model[^>]*>/.test(flags)
/** Whether the first argument of a command is a model (.npz). */
const beginsWithModel = ({ registeredArguments: [first] }: Command): boolean =>
  /^models?$/.test(first?.name() ?? '')
/** The words that a command accepts as arguments, where these are a choice: shells, or names of data sets. */
const choicesOf = (command: Command): readonly string[] =>
  command.name() === 'fetch'
    ? catalogue.map(({ name }) => name)
    : command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])

/** Generates the completion script for bash. */
function bashScript(program: Command): string {
  const all = listCommands(program)
  const steps = all
    .filter(({ words }) => words !== '')
    .map(({ words }) => `'${parentOf(words)}/${nameOf(words)}'`)
  const values = all.flatMap(({ words, command }) =>
    command.options.filter(takesValue).flatMap((option) => {
      const pattern = flagsOf(option)
        .map((flag) => `'${words}:${flag}'`)
        .join('|')
      if (takesModel(option)) return [`    ${pattern}) models=1 ;;`]
      if (takesFile(option)) return [`    ${pattern}) models='' ;;`]
      return [
        `    ${pattern}) COMPREPLY=($(compgen -W ${inQuotes((option.argChoices ?? []).join(' '))} -- "$current")); return ;;`,
      ]
    }),
  )
  const lists = all.map(({ words, command }) => {
    const names = command.commands.map((one) => one.name())
    const isModel = beginsWithModel(command) ? ' first=1' : ''
    return `    '${words}')${isModel} options='${allFlags(command).join(' ')}' names='${[...names, ...choicesOf(command)].join(' ')}' ;;`
  })
  return `# bash completion for lacuna: source <(lacuna completion bash)
_lacuna() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' options='' names='' models=unset first='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command/$word" in
      ${steps.join('|')}) command="\${command:+$command }$word" ;;
    esac
  done
  case "$command:$previous" in
${values.join('\n')}
  esac
  case "$command" in
${lists.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $names ]]; then
    COMPREPLY=($(compgen -W "$names" -- "$current"))
  else
    compopt -o filenames 2> /dev/null
    if [[ $models == unset ]]; then
      models=$first
      for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == *.npz ]] && models=''; done
    fi
    local IFS=$'\\n'
    if [[ $models == 1 ]]; then
      COMPREPLY=($(compgen -f -X '!*.npz' -- "$current"; compgen -d -- "$current"))
    else
      COMPREPLY=($(compgen -f -- "$current"))
    fi
  fi
}
complete -F _lacuna lacuna
`
}

/** All words but the last: 'data' of 'data fetch'. */
const parentOf = (words: string): string => words.split(' ').slice(0, -1).join(' ')
/** The last word: 'fetch' of 'data fetch'. */
const nameOf = (words: string): string => words.split(' ').at(-1) ?? ''

/** Text in single quotes, as a POSIX shell reads it. */
const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Generates the completion script for zsh. */
function zshScript(program: Command): string {
  return `#compdef lacuna
_lacuna() {
${zshBody(program, '  ')}
}
if [ "$funcstack[1]" = _lacuna ]; then _lacuna "$@"; else compdef _lacuna lacuna; fi
`
}

/**
 * Body of the zsh function for a command: a case for each subcommand, or the arguments of a command without.
 */
function zshBody(command: Command, indent: string): string {
  if (command.commands.length === 0)
    return `${indent}_arguments -S ${zshArguments(command).join(` \\\n${indent}  `)}`
  const names = command.commands.map((one) => inQuotes(`${one.name()}:${one.description()}`))
  const cases = command.commands.map(
    (one) =>
      `${indent}  ${one.name()})\n${indent}    shift words; (( CURRENT-- ))\n${zshBody(one, `${indent}    `)} ;;`,
  )
  return `${indent}if (( CURRENT == 2 )); then
${indent}  local -a names=(${names.join(` \\\n${indent}    `)})
${indent}  _describe command names
${indent}  return
${indent}fi
${indent}case $words[2] in
${cases.join('\n')}
${indent}esac`
}

/** The files that zsh offers for a model. */
const MODELS = '_files -g "*.npz(-.)"'

/** Specifications of a command's options and arguments for zsh's _arguments. */
function zshArguments(command: Command): string[] {
  const escapeText = (text: string) => text.replace(/[[\]:]/g, (found) => `\\${found}`)
  const options = command.options.flatMap((option) => {
    const choices =
      option.argChoices && `(${option.argChoices.map((choice) => choice.replaceAll(',', '\\,')).join(' ')})`
    const value = takesValue(option)
      ? `:value:${takesModel(option) ? MODELS : takesFile(option) ? '_files' : (choices ?? ' ')}`
      : ''
    return flagsOf(option).map((flag) => inQuotes(`${flag}[${escapeText(option.description)}]${value}`))
  })
  const choices = choicesOf(command)
  return [
    ...options,
    "'--help[display help]'",
    ...(beginsWithModel(command) ? [inQuotes(`1:model:${MODELS}`)] : []),
    inQuotes(`*:file:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}`),
  ]
}

/** Generates the completion script for fish. */
function fishScript(program: Command): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, (found) => `\\${found}`)}'`
  const lines = listCommands(program).flatMap(({ words, command }) => {
    const path = words.split(' ').filter((word) => word !== '')
    const below = command.commands.map((one) => one.name())
    const condition = [
      ...path.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []),
    ].join('; and ')
    const start = `complete -c lacuna -n ${quote(condition)}`
    const options = command.options.map((option) => {
      const names = [
        option.long && `-l ${option.long.slice(2)}`,
        option.short && `-s ${option.short.slice(1)}`,
      ]
      const value = !takesValue(option)
        ? ''
        : takesFile(option)
          ? ' -r -F'
          : ` -x${option.argChoices ? ` -a ${quote(option.argChoices.join(' '))}` : ''}`
      return `${start} ${names.filter(Boolean).join(' ')}${value} -d ${quote(option.description)}`
    })
    const names = command.commands.map((one) => `${start} -f -a ${one.name()} -d ${quote(one.description())}`)
    const choices = choicesOf(command).map((choice) => `${start} -f -a ${choice}`)
    return [...names, ...choices, ...options]
  })
  return `# fish completion for lacuna\n${lines.join('\n')}\n`
}
