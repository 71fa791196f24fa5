/** `lacuna completion`: scripts for completion in shells, generated from the commands. */
import { Argument, Command, type Option } from 'commander'
import { print } from '../print/print.ts'

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript }
type Shell = keyof typeof shells

/** Creates the command. */
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

/** A command and the words that are typed after lacuna: 'complete', 'data fetch', or nothing. */
interface TypedCommand {
  words: string
  command: Command
}

function typedCommands(command: Command, words = ''): TypedCommand[] {
  const below = command.commands.flatMap((one) => typedCommands(one, `${words} ${one.name()}`.trim()))
  return [{ words, command }, ...below]
}

const flags = ({ options }: Command): string[] => [...options.flatMap(flagsOf), '--help']
const flagsOf = ({ short, long }: Option): string[] => [long, short].filter((flag) => flag !== undefined)
const takesValue = ({ required, optional }: Option): boolean => required || optional
const takesFile = ({ flags }: Option): boolean => /<[^>]*(file|model|folder|image|mask)[^>]*>/.test(flags)
const choicesOf = (command: Command): readonly string[] =>
  command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])

function bashScript(program: Command): string {
  const all = typedCommands(program)
  const steps = all
    .filter(({ words }) => words !== '')
    .map(({ words }) => `'${parentOf(words)}/${nameOf(words)}'`)
  const values = all.flatMap(({ words, command }) =>
    command.options.filter(takesValue).flatMap((option) => {
      if (takesFile(option)) return []
      const pattern = flagsOf(option)
        .map((flag) => `'${words}:${flag}'`)
        .join('|')
      return [
        `    ${pattern}) COMPREPLY=($(compgen -W ${inQuotes((option.argChoices ?? []).join(' '))} -- "$current")); return ;;`,
      ]
    }),
  )
  const lists = all.map(({ words, command }) => {
    const names = command.commands.map((one) => one.name())
    return `    '${words}') options='${flags(command).join(' ')}' names='${[...names, ...choicesOf(command)].join(' ')}' ;;`
  })
  return `# bash completion for lacuna: source <(lacuna completion bash)
_lacuna() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command='' options='' names='' word
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
    local IFS=$'\\n'
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -F _lacuna lacuna
`
}

const parentOf = (words: string): string => words.split(' ').slice(0, -1).join(' ')
const nameOf = (words: string): string => words.split(' ').at(-1) ?? ''

/** As a POSIX shell takes it. */
const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function zshScript(program: Command): string {
  return `#compdef lacuna
_lacuna() {
${zshBody(program, '  ')}
}
if [ "$funcstack[1]" = _lacuna ]; then _lacuna "$@"; else compdef _lacuna lacuna; fi
`
}

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

function zshArguments(command: Command): string[] {
  const plain = (text: string) => text.replace(/[[\]:]/g, (found) => `\\${found}`)
  const options = command.options.flatMap((option) => {
    const choices =
      option.argChoices && `(${option.argChoices.map((choice) => choice.replaceAll(',', '\\,')).join(' ')})`
    const value = takesValue(option) ? `:value:${takesFile(option) ? '_files' : (choices ?? ' ')}` : ''
    return flagsOf(option).map((flag) => inQuotes(`${flag}[${plain(option.description)}]${value}`))
  })
  const choices = choicesOf(command)
  return [
    ...options,
    "'--help[display help]'",
    inQuotes(`*:file:${choices.length > 0 ? `(${choices.join(' ')})` : '_files'}`),
  ]
}

function fishScript(program: Command): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, (found) => `\\${found}`)}'`
  const lines = typedCommands(program).flatMap(({ words, command }) => {
    const seen = words.split(' ').filter((word) => word !== '')
    const below = command.commands.map((one) => one.name())
    const condition = [
      ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []),
    ].join('; and ')
    const start = `complete -c lacuna -n ${quoted(condition)}`
    const options = command.options.map((option) => {
      const names = [
        option.long && `-l ${option.long.slice(2)}`,
        option.short && `-s ${option.short.slice(1)}`,
      ]
      const value = !takesValue(option)
        ? ''
        : takesFile(option)
          ? ' -r -F'
          : ` -x${option.argChoices ? ` -a ${quoted(option.argChoices.join(' '))}` : ''}`
      return `${start} ${names.filter(Boolean).join(' ')}${value} -d ${quoted(option.description)}`
    })
    const names = command.commands.map(
      (one) => `${start} -f -a ${one.name()} -d ${quoted(one.description())}`,
    )
    const choices = choicesOf(command).map((choice) => `${start} -f -a ${choice}`)
    return [...names, ...choices, ...options]
  })
  return `# fish completion for lacuna\n${lines.join('\n')}\n`
}
