/** `npm run bench -- …`: measurements of this machine; not shipped with any package. */
import { Command, CommanderError } from 'commander'
import { explainFailure } from '#cli/kit.ts'
import { convergenceCommand } from './convergenceCommand.ts'
import { benchEngineCommand } from './engineCommand.ts'
import { benchIoCommand } from './ioCommand.ts'
import { benchSetUpCommand } from './setUpCommand.ts'
import { benchTopCommand } from './topCommand.ts'

const program = new Command('bench')
  .description(
    'Measures this machine. A figure is the median of interleaved rounds; compare ratios, not seconds.',
  )
  .exitOverride()
  .addCommand(benchEngineCommand(), { isDefault: true })
  .addCommand(convergenceCommand())
  .addCommand(benchIoCommand())
  .addCommand(benchSetUpCommand())
  .addCommand(benchTopCommand())
for (const command of program.commands) command.copyInheritedSettings(program)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = error instanceof CommanderError ? error.exitCode : explainFailure(error)
}
