/** `lacuna serve`: a service of models over HTTP, or over stdin and stdout. */
import { Command } from 'commander'
import { InputError } from 'lacuna'
import { hardwareThreads } from 'lacuna/internal'
import { decimalFromZero, positiveWholeNumber, wholeNumber } from '../../options/arguments.ts'
import { print } from '../../print/print.ts'
import { LOOPBACK } from './http/guard.ts'

/** Options of `lacuna serve`, as parsed from the command line; the help describes each. */
interface Options {
  stdio?: boolean
  port: number
  host: string
  token?: string
  readOnly?: boolean
  threads: number
  maxBody: number
  maxRows: number
  maxWaiting: number
  timeout: number
  quiet?: boolean
}

/** Limits of --stdio where none are given: the requests are those of the program that has started this one. */
const STDIO_LIMITS = { maxBody: 2 ** 28, maxRows: 10_000_000, timeout: 86_400 } as const

/** Runs a command of the program; throws if it fails. */
type RunCommand = (args: readonly string[]) => Promise<void>

/** Creates the command `serve`. @param runCommand runs commands that programs ask for by --stdio */
export function serveCommand(runCommand: RunCommand): Command {
  return new Command('serve')
    .description('Serves models over HTTP: predict, top, similar, components, fold-in, update and evaluate.')
    .argument(
      '[models...]',
      'models made by lacuna complete (.npz), with --stdio also none; each is called by its file name',
    )
    .option('--stdio', 'answer lines of JSON on stdin by lines on stdout, in place of HTTP, until stdin ends')
    .option('--port <n>', 'the port to listen on; 0 for any free one', wholeNumber, 4243)
    .option('--host <address>', 'the address to listen on; only this machine by default', '127.0.0.1')
    .option(
      '--token <text>',
      'the bearer token that requests need (default: the variable LACUNA_TOKEN, or none)',
    )
    .option('--read-only', 'take no updates and write nothing')
    .option('--threads <n>', 'threads that answer', positiveWholeNumber, hardwareThreads())
    .option('--max-body <bytes>', 'most bytes of a request', positiveWholeNumber, 16 * 2 ** 20)
    .option('--max-rows <n>', 'most cells, entries or lines of a request', positiveWholeNumber, 1_000_000)
    .option('--max-waiting <n>', 'most requests that wait; others get 503', positiveWholeNumber, 1000)
    .option('--timeout <seconds>', 'longest time for an answer', decimalFromZero, 30)
    .option('-q, --quiet', 'no log of requests that succeed')
    .addHelpText(
      'after',
      `
Updates are written to a log beside the model and synced before they are acknowledged: films.npz has films.updates.log
and, from time to time, the updated model films.updates.npz. The file films.npz itself is never changed.

The page / tries the service, /openapi.json describes it, /health and /metrics watch it. SIGTERM and Ctrl-C stop it
after the requests that are being answered; SIGHUP reads the files again.

Examples:
  lacuna serve films.npz
  echo '{"operation": "top", "request": {"of": "film"}}' | lacuna serve films.npz --stdio
  lacuna serve films.npz shops.npz --port 8080 --token "$TOKEN" --host 0.0.0.0`,
    )
    .action((files, options, command) => runServe(files, options, command, runCommand))
}

/** Runs `lacuna serve` until SIGINT or SIGTERM, with --stdio until the end of stdin. */
async function runServe(
  files: string[],
  options: Options,
  command: Command,
  runCommand: RunCommand,
): Promise<void> {
  if (options.stdio) {
    const isGiven = (name: string): boolean => command.getOptionValueSource(name) !== 'default'
    const { serveStdio } = await import('./stdio/stdio.ts')
    const limits = Object.fromEntries(Object.entries(STDIO_LIMITS).filter(([name]) => !isGiven(name)))
    return serveStdio(files, { ...options, ...limits, runCommand })
  }
  if (files.length === 0) throw new InputError('option', 'Which model is to be served? Name its file (.npz).')
  const { port, host, token = process.env.LACUNA_TOKEN } = options
  if (port > 65535) throw new InputError('option', `--port is ${port}; ports go up to 65535.`)
  if (token !== undefined && !/^[\x21-\x7e]{8,}$/.test(token))
    throw new InputError(
      'option',
      'A token needs at least 8 characters, without spaces; choose a longer one.',
    )
  if (token === undefined && !LOOPBACK.includes(host))
    throw new InputError(
      'option',
      `Other machines could reach ${host}, and anyone there could ask and update; give a --token as well.`,
    )
  const { startServer } = await import('./server.ts')
  const server = await startServer(files, { ...options, token })
  await print(`Lacuna serves ${server.models.join(', ')} at ${server.url}`)
  await server.stopped
}
