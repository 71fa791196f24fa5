/** `bench setup`: seconds of loading entries on the CPU engine, by threads and phases. */
import { Command, Option } from 'commander'
import { hardwareThreads } from 'lacuna/internal'
import {
  formatCount,
  formatTable,
  positiveWholeNumber,
  print,
  printJson,
  rankNumber,
  startProgress,
  threadCounts,
  wholeNumbers,
} from '#cli/kit.ts'
import { measureSetUp, type SetUpBenchOptions, setUpProblems } from './measure/setUp.ts'

/** Options of the command line. */
interface Options extends Omit<SetUpBenchOptions, 'onProgress' | 'small'> {
  small?: boolean
  json?: boolean
  quiet?: boolean
}

/** Creates the command `bench setup`. */
export function setUpCommand(): Command {
  const problems = Object.keys(setUpProblems)
  return new Command('setup')
    .description('seconds from entries to an engine that has loaded them, by threads, and where they go')
    .addOption(new Option('--problem <name>', 'made in memory').choices(problems).default('uber'))
    .option('--small', 'a tenth of the entries, for a quick look')
    .option('--rank <r>', 'number of components', rankNumber, 10)
    .option('--threads <list>', 'as in 1,2', wholeNumbers, threadCounts(hardwareThreads()))
    .option('--rounds <n>', 'measurements of each', positiveWholeNumber, 5)
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .action(runSetUp)
}

/** Measures, and prints a table or JSON. */
async function runSetUp({ json, quiet, small = false, ...options }: Options): Promise<void> {
  const progress = startProgress(quiet ?? false)
  const bench = await measureSetUp({ ...options, small, onProgress: (line) => progress.update(line) })
  progress.end()
  if (json) return printJson(bench)
  const { dims, entries, rank, rows } = bench
  const head = ['threads', 'set-up', 'count', 'lay out', 'place', 'sort', 'values', 'processor', 'start']
  const lines = rows.map((row) => [
    String(row.threads),
    ...[
      row.total,
      row.count,
      row.layOut,
      row.place,
      row.sort,
      row.values,
      row.processorSeconds,
      row.start,
    ].map((seconds) => seconds.toFixed(3)),
  ])
  await print(`${dims.join('×')}, ${formatCount(entries)} entries, R = ${rank}, seconds`)
  await print(formatTable([head, ...lines]))
}
