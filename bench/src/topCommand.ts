/** `bench top`: seconds to rank the rows of one mode for every row of another. */
import { Command } from 'commander'
import { hardwareThreads } from 'lacuna/internal'
import {
  formatCount,
  formatSeconds,
  formatTable,
  positiveWholeNumber,
  print,
  printJson,
  rankNumber,
  startProgress,
  wholeNumbers,
} from '#cli/kit.ts'
import { measureTop } from './measure/top.ts'

/** Options of the command line. */
interface Options {
  rows: number
  candidates: number
  rank: number
  n: number
  threads: number[]
  json?: boolean
  quiet?: boolean
}

/** Creates the command `bench top`. */
export function topCommand(): Command {
  return new Command('top')
    .description(
      'seconds to find the best rows of one mode for every row of another, as large as MovieLens 20M',
    )
    .option('--rows <n>', 'rows that are asked for', positiveWholeNumber, 138_000)
    .option('--candidates <n>', 'rows that are ranked', positiveWholeNumber, 27_000)
    .option('--rank <r>', 'number of components', rankNumber, 20)
    .option('-n <n>', 'best rows of each', positiveWholeNumber, 10)
    .option('--threads <list>', 'as in 1,2', wholeNumbers, [hardwareThreads()])
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .action(runTop)
}

/** Measures, and prints a table or JSON. */
async function runTop(options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const bench = await measureTop({
    ...options,
    onProgress: (threads, done) =>
      progress.update(
        `${threads} thread${threads > 1 ? 's' : ''}: ${formatCount(done)} of ${formatCount(options.rows)} rows`,
      ),
  })
  progress.end()
  if (options.json) return printJson(bench)
  const { rows, candidates, rank, n, rounds } = bench
  const lines = rounds.map(({ threads, seconds: took }) => [
    String(threads),
    formatSeconds(took),
    `${((rows * candidates * rank) / took / 1e9).toFixed(1)} G`,
  ])
  await print(
    `${formatCount(rows)} rows × ${formatCount(candidates)} candidates, rank ${rank}, the best ${n} of each`,
  )
  await print(formatTable([['threads', 'time', 'products/s'], ...lines]))
}
