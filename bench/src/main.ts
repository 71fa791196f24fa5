/** `npm run bench -- …`: measurements of this machine. Not shipped with any package. */
import { Command, CommanderError } from 'commander'
import { explainFailure } from '#cli/kit.ts'
import { bestCommand } from './bestCommand.ts'
import { convergenceCommand } from './convergenceCommand.ts'
import { coverageCommand } from './coverageCommand.ts'
import { engineCommand } from './engineCommand.ts'
import { ioCommand } from './ioCommand.ts'
import { picturesCommand } from './picturesCommand.ts'
import { ranksCommand } from './ranksCommand.ts'
import { serveCommand } from './serveCommand.ts'
import { setUpCommand } from './setUpCommand.ts'
import { topCommand } from './topCommand.ts'

const program = new Command('bench')
  .description(
    'Measures this machine. A figure is the median of interleaved rounds; compare ratios, not seconds.',
  )
  .exitOverride()
  .addCommand(engineCommand(), { isDefault: true })
  .addCommand(bestCommand())
  .addCommand(convergenceCommand())
  .addCommand(coverageCommand())
  .addCommand(ioCommand())
  .addCommand(picturesCommand())
  .addCommand(ranksCommand())
  .addCommand(serveCommand())
  .addCommand(setUpCommand())
  .addCommand(topCommand())
for (const command of program.commands) command.copyInheritedSettings(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = error instanceof CommanderError ? error.exitCode : explainFailure(error)
}
