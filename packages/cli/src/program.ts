/** The commands of the program `lacuna`, each loaded when it is needed. */
import { Command } from 'commander'
import { version } from 'lacuna'
import { withPlainHelp } from './options/firstOptions.ts'
import { commandsOf, groupHelpOptions } from './options/help.ts'
import { exitUnlessNeeded, isRoot } from './process/processes.ts'

/** Makes the program without its commands. */
const newProgram = (): Command =>
  new Command('lacuna')
    .description(
      'Fills the gaps in nonnegative tensors: learns a low-rank model from the entries there are, predicts the others.',
    )
    .version(version)
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('Explains a command, or lists all of them.')
        .helpGroup('This program:'),
    )
    .addHelpText(
      'after',
      `
Examples:
  lacuna demo                                                a picture of its own, damaged and restored
  lacuna image photo.jpg -o restored.png                     the same with yours
  lacuna synth --dims 200x100x50 --entries 100000 --rank 5 -o data.tns --test-entries 1000 --test test.tns
  lacuna info data.tns                                       what is in the file
  lacuna complete data.tns --rank 5 --test test.tns -o model.npz
  lacuna predict model.npz test.tns                          predictions of the model
  lacuna evaluate model.npz --test test.tns                  errors, and where they are largest
  lacuna top model.npz --for mode_1=7 --of mode_2            the best rows along a mode, and why
  lacuna forecast sales.csv --horizon 7                      the next rows of time, with intervals
  lacuna components model.npz --html model.html              its components, as a page
  lacuna data                                                public data sets to try
  lacuna convert data.tns data.npz                           the same entries in another format
  lacuna split data.tns --test 0.1 -o data                   data.train.tns and data.test.tns
  lacuna paper --scale tiny -o results                       the paper's experiments and figures
  lacuna serve model.npz                                     answers over HTTP
  lacuna studio                                              all of it, in your browser

'lacuna COMMAND --help' explains a command, 'lacuna man | man -l -' all of them.`,
    )
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'lacuna: ')),
      ...(!isRoot && { writeOut: () => {}, writeErr: () => {} }),
    })
    .hook('preAction', (_, command) => exitUnlessNeeded(command))

/** Loaders of the commands by name, in the order of the help. */
const commands: Readonly<Record<string, () => Promise<() => Command>>> = {
  complete: async () => (await import('./commands/complete/complete.ts')).completeCommand,
  predict: async () => (await import('./commands/predict/predict.ts')).predictCommand,
  top: async () => (await import('./commands/top.ts')).topCommand,
  similar: async () => (await import('./commands/similar.ts')).similarCommand,
  components: async () => (await import('./commands/components.ts')).componentsCommand,
  forecast: async () => (await import('./commands/forecast/forecast.ts')).forecastCommand,
  evaluate: async () => (await import('./commands/evaluate.ts')).evaluateCommand,
  fill: async () => (await import('./commands/fill/fill.ts')).fillCommand,
  fold: async () => (await import('./commands/foldIn.ts')).foldInCommand,
  update: async () => (await import('./commands/update.ts')).updateCommand,
  serve: async () => {
    const { serveCommand } = await import('./commands/serve/serve.ts')
    return () => serveCommand(runCommand)
  },
  info: async () => (await import('./commands/info.ts')).infoCommand,
  data: async () => (await import('./commands/data.ts')).dataCommand,
  convert: async () => (await import('./commands/convert.ts')).convertCommand,
  split: async () => (await import('./commands/split.ts')).splitCommand,
  image: async () => (await import('./commands/image/image.ts')).imageCommand,
  studio: async () => (await import('./commands/studio/studio.ts')).studioCommand,
  synth: async () => (await import('./commands/synth.ts')).synthCommand,
  paper: async () => (await import('./commands/paper.ts')).paperCommand,
  demo: async () => (await import('./commands/image/demo.ts')).demoCommand,
  completion: async () => (await import('./commands/completion.ts')).completionCommand,
  man: async () => (await import('./commands/man.ts')).manCommand,
}

/**
 * Runs a command; throws if it fails.
 * @param args the arguments after the name of the program
 */
export async function runCommand(args: readonly string[]): Promise<void> {
  const program = newProgram()
  // Only the code of the typed command is loaded; help and completions need all commands.
  const typed = args[0] ?? ''
  const isOne = Object.hasOwn(commands, typed) && typed !== 'completion' && typed !== 'man'
  const isVersion = typed === '--version' || typed === '-V'
  for (const load of isOne ? [commands[typed]] : isVersion ? [] : Object.values(commands)) {
    const make = await load()
    // Commands that are added do not inherit the settings of the program.
    program.addCommand(make().copyInheritedSettings(program))
  }
  groupHelpOptions(program)
  for (const command of commandsOf(program))
    command
      .exitOverride()
      .showHelpAfterError(`(try 'lacuna ${command === program ? '' : `${command.name()} `}--help')`)
  await program.parseAsync(withPlainHelp([...process.argv.slice(0, 2), ...args]))
}
