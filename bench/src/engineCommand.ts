/** `bench engine`: seconds per epoch by rank and threads, on the CPU or on a GPU. */
import { Command, Option } from 'commander'
import { hardwareThreads } from 'lacuna/internal'
import {
  formatCount,
  formatTable,
  positiveWholeNumber,
  print,
  printJson,
  startProgress,
  threadCounts,
  wholeNumbers,
} from '#cli/kit.ts'
import { type EngineBench, type EngineBenchRow, measureEngine } from './measure/engine.ts'
import { type GpuBench, measureGpu } from './measure/gpuEngine.ts'

/** Options of the command line. */
interface Options {
  engine: 'cpu' | 'gpu'
  small?: boolean
  ranks: number[]
  threads: number[]
  rounds: number
  json?: boolean
  quiet?: boolean
}

/** Creates the command `bench engine`. */
export function engineCommand(): Command {
  return new Command('engine')
    .description(
      "seconds per epoch on the paper's Uber-shaped problem, by rank and threads, and where they go",
    )
    .option('--small', 'a tenth of the entries, for a quick look')
    .option('--ranks <list>', 'as in 10,30,50', wholeNumbers, [10, 30, 50])
    .option('--threads <list>', 'as in 1,2', wholeNumbers, threadCounts(hardwareThreads()))
    .option('--rounds <n>', 'measurements of each', positiveWholeNumber, 5)
    .addOption(
      new Option(
        '--engine <name>',
        'cpu, or gpu: kinds of steps on the GPU, beside the largest number of threads',
      )
        .choices(['cpu', 'gpu'])
        .default('cpu'),
    )
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .action(runEngine)
}

/** Measures, and prints a table or JSON. */
async function runEngine(options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { ranks, threads, rounds, small = false } = options
  const asked = { ranks, threads, small, rounds, onProgress: (line: string) => progress.update(line) }
  if (options.engine === 'gpu') {
    const bench = await measureGpu({ ...asked, threads: Math.max(...threads) })
    progress.end()
    return options.json ? printJson(bench) : print(formatGpu(bench))
  }
  const bench = await measureEngine(asked)
  progress.end()
  await (options.json ? printJson(bench) : print(formatCpu(bench)))
}

/** Formats the measurements of the CPU as a table. */
function formatCpu({ dims, entries, sample, rows }: EngineBench): string {
  const percent = (fraction: number): string => `${Math.round(100 * fraction)}%`
  const line = (row: EngineBenchRow): string[] => [
    String(row.rank),
    String(row.threads),
    row.secondsPerEpoch.toFixed(3),
    row.nsPerEntryAndMode.toFixed(1),
    row.speedUp.toFixed(2),
    percent(row.shares.hessian),
    percent(row.shares.powerMethod),
    percent(row.shares.rest),
  ]
  const head = ['R', 'threads', 's/epoch', 'ns/entry/mode', 'speed-up', 'H', 'power method', 'rest']
  return `${dims.join('×')}, ${formatCount(entries)} entries, c = ${sample}, MAX_INNER = 1, solver 'paper'\n\n${formatTable([head, ...rows.map(line)])}`
}

/** Formats the measurements of GPU and CPU, in milliseconds, as a table. */
function formatGpu({ device, threads, dims, entries, sample, setUp, rows }: GpuBench): string {
  const ms = (seconds: number): string => (1000 * seconds).toFixed(seconds < 0.1 ? 2 : 0)
  const ratio = (cpu: number, gpu: number): string => (cpu / gpu).toFixed(1)
  const lines = rows.map(({ rank, step, gpuSeconds, cpuSeconds }) => [
    String(rank),
    step,
    ms(gpuSeconds),
    ms(cpuSeconds),
    ratio(cpuSeconds, gpuSeconds),
  ])
  const starts = setUp.map(({ rank, gpuSeconds, cpuSeconds }) => [
    String(rank),
    'set-up',
    ms(gpuSeconds),
    ms(cpuSeconds),
    ratio(cpuSeconds, gpuSeconds),
  ])
  const head = ['R', 'step', 'GPU, ms', `${threads} threads, ms`, 'ratio']
  return `${dims.join('×')}, ${formatCount(entries)} entries, c = ${sample}, on ${device}: an epoch, and from the tensor to the first\n\n${formatTable([head, ...lines, ...starts])}`
}
