/** `bench serve`: load of lacuna serve. */
import { Command } from 'commander'
import { hardwareThreads } from 'lacuna/internal'
import {
  formatCount,
  formatTable,
  positiveWholeNumber,
  print,
  printJson,
  rankNumber,
  startProgress,
} from '#cli/kit.ts'
import { measureServe, type ServeBenchOptions } from './measure/serve.ts'

/** Creates the command `bench serve`. */
export function serveCommand(): Command {
  return new Command('serve')
    .description('requests per second and latencies of top over HTTP, and many connections at a time')
    .option('--rows <n>', 'rows that are asked for', positiveWholeNumber, 138_000)
    .option('--candidates <n>', 'rows that are ranked', positiveWholeNumber, 27_000)
    .option('--rank <r>', 'number of components', rankNumber, 20)
    .option('--clients <n>', 'requests at a time', positiveWholeNumber, 16)
    .option('--requests <n>', 'requests in all', positiveWholeNumber, 10_000)
    .option('--connections <n>', 'connections that are open at the same time', positiveWholeNumber, 10_000)
    .option('--threads <n>', 'threads that answer', positiveWholeNumber, hardwareThreads())
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .action(runServe)
}

/** Measures, and prints a table or JSON; throws if the server did not stay well. */
async function runServe(options: ServeBenchOptions & { json?: boolean; quiet?: boolean }): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const bench = await measureServe({ ...options, onProgress: (text) => progress.update(text) })
  progress.end()
  if (options.json) await printJson(bench)
  else {
    const { requestsPerSecond, p50, p99, failed, connections } = bench
    const { rows, candidates, rank, clients, threads } = options
    await print(
      `top of ${formatCount(candidates)} candidates for one of ${formatCount(rows)} rows, rank ${rank}, ${threads} threads, ${clients} requests at a time`,
    )
    await print(
      formatTable([
        ['requests/s', 'p50', 'p99', 'failed', 'connections held'],
        [
          requestsPerSecond.toFixed(0),
          `${p50.toFixed(1)} ms`,
          `${p99.toFixed(1)} ms`,
          String(failed),
          formatCount(connections),
        ],
      ]),
    )
  }
  if (!bench.isWell) throw new Error('The server did not answer while or after connections were held open.')
}
