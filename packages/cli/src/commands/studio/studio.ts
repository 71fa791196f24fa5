/** `lacuna studio`: serves the studio on this machine and opens it in the browser. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { InputError } from 'lacuna'
import { wholeNumber } from '../../options/arguments.ts'
import { print } from '../../print/print.ts'

/** Options of `lacuna studio`, as parsed from the command line; the help describes each. */
interface Options {
  port: number
  host: string
  open: boolean
}

/** Hosts that only this machine can reach. */
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']

/** Creates the command `studio`. */
export function studioCommand(): Command {
  return new Command('studio')
    .description('Opens the studio in your browser: restore pictures and complete tables while you watch.')
    .option('--port <n>', 'the port to listen on, or the next one that is free', wholeNumber, 4242)
    .option('--host <address>', 'the address to listen on; only this machine by default', '127.0.0.1')
    .option('--no-open', 'do not open a browser')
    .addHelpText(
      'after',
      `
Examples:
  lacuna studio
  lacuna studio --port 8080 --no-open

All computation happens in the page: no data leaves the browser. Ctrl-C stops the server.`,
    )
    .action(runStudio)
}

/** Runs `lacuna studio`: serves the studio until SIGINT or SIGTERM. */
async function runStudio({ port, host, open }: Options): Promise<void> {
  if (port > 65535) throw new InputError('option', `--port is ${port}; ports go up to 65535.`)
  const folder = fileURLToPath(new URL('./studio', import.meta.url))
  if (!existsSync(folder))
    throw new InputError('unavailable', 'The studio has not been built; run npm run build first.')
  const { serveFolder } = await import('./server.ts')
  const server = await serveFolder(folder, { host, port })
  await print(`Lacuna Studio is at ${server.url}`)
  if (!LOOPBACK.includes(host))
    process.stderr.write(
      'Other machines can open it too. Browsers give them one thread only, unless a proxy adds HTTPS.\n',
    )
  process.stderr.write('Ctrl-C stops it.\n')
  if (open) openBrowser(server.url)
  await waitForStop()
  await server.close()
}

/** Opens a URL in the default browser; failures are ignored, because the URL has been printed. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url]
  spawn(command, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
}

/** Resolves at SIGINT or SIGTERM. */
function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
