/** `bench ranks`: whether a rank that is too large hurts, and what it costs. */
import { Command, Option } from 'commander'
import { cpuEngine, gpuEngine, hardwareThreads } from 'lacuna/internal'
import {
  formatCount,
  formatTable,
  positiveWholeNumber,
  print,
  printJson,
  sizes,
  startProgress,
  wholeNumbers,
} from '#cli/kit.ts'
import { measureRanks } from './measure/ranks.ts'

/** Options of the command line. */
interface Options {
  dims: number[]
  entries: number
  truth: number
  snr: number
  ranks: number[]
  engine: 'cpu' | 'gpu'
  threads: number
  json?: boolean
  quiet?: boolean
}

/** Creates the command `bench ranks`. */
export function ranksCommand(): Command {
  return new Command('ranks')
    .description('held-out errors and seconds of the default solver at ranks up to one that is too large')
    .option('--dims <sizes>', 'size of each mode', sizes, [71_567, 10_681])
    .option('--entries <n>', 'training entries', positiveWholeNumber, 10_000_000)
    .option('--truth <r>', 'rank of the truth', positiveWholeNumber, 10)
    .option('--snr <dB>', 'signal-to-noise ratio', Number, 10)
    .option('--ranks <list>', 'as in 10,50', wholeNumbers, [10, 30, 50])
    .addOption(new Option('--engine <name>', 'cpu or gpu').choices(['cpu', 'gpu']).default('cpu'))
    .option('--threads <n>', 'threads of the CPU', positiveWholeNumber, hardwareThreads())
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .action(runRanks)
}

/** Measures, and prints a table or JSON. */
async function runRanks({ json, quiet, engine: name, threads, ...options }: Options): Promise<void> {
  const progress = startProgress(quiet ?? false)
  const engine = name === 'gpu' ? await gpuEngine({ threads }) : cpuEngine({ threads })
  try {
    const rows = await measureRanks({ ...options, engine, onProgress: (line) => progress.update(line) })
    progress.end()
    if (json) return printJson(rows)
    const { dims, entries, truth, snr } = options
    await print(
      `${dims.join('×')}, ${formatCount(entries)} entries, truth of rank ${truth} at ${snr} dB, on ${engine.description}`,
    )
    const lines = rows.map(({ rank, seconds, epochs, train, test, ratio }) => [
      String(rank),
      seconds.toFixed(1),
      epochs.toFixed(0),
      train.toFixed(4),
      test.toFixed(4),
      ratio.toFixed(4),
    ])
    await print(formatTable([['R', 'seconds', 'epochs', 'training', 'held out', 'ratio'], ...lines]))
  } finally {
    await engine.close()
  }
}
