#!/usr/bin/env node
/** The program `lacuna`: runs the command that was typed. */
import { explainFileError, optimizeAlways } from 'lacuna/internal'
import { explainFailure } from './process/failure.ts'
import { reportFailure } from './process/processes.ts'
import { runCommand } from './program.ts'

// A good model of a million entries takes tenths of a second: kernels are to be optimised before they run,
// not while they do.
optimizeAlways()

// A reader that has read enough (head, less) closes the pipe, which is no error. A full disk is one.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : explainFailure(explainFileError(error, 'stdout', 'write')))
})

// A closed stderr must not lose the result.
process.stderr.on('error', () => {})

try {
  await runCommand(process.argv.slice(2))
} catch (error) {
  process.exitCode = await reportFailure(error)
}
