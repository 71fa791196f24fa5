import { Command } from 'commander'
import { type EngineBench, type EngineBenchRow, runEngineBench } from '../bench/engine.ts'
import { hardwareThreads } from '../engine/cpu/index.ts'
import { wholeNumbers } from './arguments.ts'
import { count, table } from './format.ts'
import { print, printJson } from './print.ts'
import { startProgress } from './terminal.ts'

interface Options {
  small?: boolean
  ranks: number[]
  threads: number[]
  rounds: number[]
  json?: boolean
  quiet?: boolean
}

export function benchCommand(): Command {
  return new Command('bench')
    .description(
      'Measures this machine. A figure is the median of interleaved rounds; compare ratios, not seconds.',
    )
    .addCommand(
      new Command('engine')
        .description(
          "seconds per epoch on the paper's Uber-shaped problem, by rank and threads, and where they go",
        )
        .option('--small', 'a tenth of the entries, for a quick look')
        .option('--ranks <list>', 'as in 10,30,50', wholeNumbers, [10, 30, 50])
        .option('--threads <list>', 'as in 1,2', wholeNumbers, upTo(hardwareThreads()))
        .option('--rounds <n>', 'measurements of each', wholeNumbers, [5])
        .option('--json', 'print a JSON object')
        .option('-q, --quiet', 'no progress')
        .action(engine),
      { isDefault: true },
    )
}

/** 1, 2, 4 … and all. */
function upTo(threads: number): number[] {
  const powers = [1, 2, 4, 8, 16, 32, 64, 128].filter((n) => n < threads)
  return [...powers, threads]
}

async function engine(options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { ranks, threads, small = false } = options
  const bench = await runEngineBench({
    ranks,
    threads,
    small,
    rounds: options.rounds[0],
    onProgress: (line) => progress.update(line),
  })
  progress.end()
  await (options.json ? printJson(bench) : print(describe(bench)))
}

function describe({ dims, entries, sample, rows }: EngineBench): string {
  const share = (part: number): string => `${Math.round(100 * part)}%`
  const line = (row: EngineBenchRow): string[] => [
    String(row.rank),
    String(row.threads),
    row.secondsPerEpoch.toFixed(3),
    row.nsPerEntryAndMode.toFixed(1),
    row.speedUp.toFixed(2),
    share(row.shares.hessian),
    share(row.shares.powerMethod),
    share(row.shares.rest),
  ]
  const head = ['R', 'threads', 's/epoch', 'ns/entry/mode', 'speed-up', 'H', 'power method', 'rest']
  return `${dims.join('×')}, ${count(entries)} entries, c = ${sample}, MAX_INNER = 1, solver 'paper'\n\n${table([head, ...rows.map(line)])}`
}
