import { Command, Option } from 'commander'
import { type Comparison, compare } from '../bench/convergence.ts'
import { type BenchProblem, benchProblems } from '../bench/problems.ts'
import {
  type ProcessesBench,
  type ProcessesProblem,
  processesProblems,
  runProcessesBench,
} from '../bench/processes.ts'
import { realProblems } from '../bench/realProblems.ts'
import { runSizeBench, type SizeBench } from '../bench/size.ts'
import { hardwareThreads } from '../engine/cpu/index.ts'
import { InputError } from '../inputError.ts'
import { readTensor } from '../io/node/index.ts'
import { formatBytes } from '../memory.ts'
import { type SolverName, sizeOfRun, solverNames } from '../solver/index.ts'
import {
  decimalNumbers,
  numberOrAuto,
  positiveWholeNumber,
  rankNumber,
  sizes,
  wholeNumbers,
} from './arguments.ts'
import { benchEngineCommand } from './benchEngine.ts'
import { benchIoCommand } from './benchIo.ts'
import { benchSetUpCommand } from './benchSetUp.ts'
import { benchTopCommand } from './benchTop.ts'
import { count, figure, table } from './format.ts'
import { describeJob, planJob, refuseJob } from './memory.ts'
import { print, printJson } from './print.ts'
import { type EngineChoice, isSpeaker, onAllProcesses, spokenProgress, withCpuEngine } from './processes.ts'
import { startProgress } from './terminal.ts'

interface ConvergenceCommandOptions {
  problem?: string
  data?: string
  full?: boolean
  train?: string
  test?: string
  rank: number
  threads: number
  samples?: number[]
  rounds: number
  json?: boolean
  quiet?: boolean
}

export function benchCommand(): Command {
  return new Command('bench')
    .description(
      'Measures this machine. A figure is the median of interleaved rounds; compare ratios, not seconds.',
    )
    .addCommand(benchEngineCommand(), { isDefault: true })
    .addCommand(convergenceCommand())
    .addCommand(sizeCommand())
    .addCommand(processesCommand())
    .addCommand(benchIoCommand())
    .addCommand(benchSetUpCommand())
    .addCommand(benchTopCommand())
}

interface SizeOptions extends EngineChoice {
  dims: number[]
  entries: number
  rank: number
  solver: SolverName
  sample?: number | 'auto'
  epochs: number
  threads: number
  parts: number
  json?: boolean
  quiet?: boolean
}

function sizeCommand(): Command {
  const command = new Command('size')
    .description(
      'a tensor made in memory, as large as you like: set-up, seconds per epoch, memory planned and taken',
    )
    .option('--dims <sizes>', 'size of each mode', sizes, [200_000, 100_000, 1000])
    .option('--entries <n>', 'how many entries', positiveWholeNumber, 10_000_000)
    .option('--rank <r>', 'number of components', rankNumber, 10)
    .addOption(new Option('--solver <name>', 'fast or paper').choices(solverNames).default('fast'))
    .option('--sample <c>', "share of each row's entries in a step, or auto", numberOrAuto)
    .option('--epochs <e>', 'stop after this many', positiveWholeNumber, 2)
    .option('--threads <n>', 'worker threads', positiveWholeNumber, hardwareThreads())
    .option('--parts <n>', 'cut the problem into at least so many parts', positiveWholeNumber, 1)
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'no progress')
    .action(benchSize)
  return onAllProcesses(command)
}

async function benchSize(options: SizeOptions): Promise<void> {
  const { dims, entries, rank, solver, sample, epochs, threads, parts } = options
  await withCpuEngine({ ...options, threads, parts }, async (engine) => {
    const settings = { rank, solver, sample, epochs }
    const size = sizeOfRun({ dims, entries }, settings)
    const plan = planJob(engine, size, { holders: engine.processes })
    const world = await engine.world()
    await world.together(() => refuseJob(plan, `${count(entries)} entries of ${dims.length} modes`))
    const progress = spokenProgress(options.quiet ?? false)
    progress.say(
      `Planned: ${describeJob(plan)}, in ${plan.parts} part${plan.parts > 1 ? 's' : ''} on ${engine.description}`,
    )
    const asked = { dims, entries, planned: plan.byteLength }
    const bench = await runSizeBench(engine, asked, settings, (line) => progress.update(line))
    progress.end()
    if (isSpeaker) await (options.json ? printJson(bench) : print(describeSize(bench)))
  })
}

interface ProcessesOptions extends EngineChoice {
  problems: ProcessesProblem[]
  ranks: number[]
  rounds: number
  small?: boolean
  json?: boolean
  quiet?: boolean
}

function processesCommand(): Command {
  const command = new Command('processes')
    .description('seconds per epoch of both solvers on the processes that mpirun has started, or on one')
    .option('--problems <list>', `of ${processesProblems.join(',')}`, problemList, [...processesProblems])
    .option('--ranks <list>', 'as in 10,50', wholeNumbers, [10, 50])
    .option('--threads <n>', 'worker threads of each process', positiveWholeNumber, hardwareThreads())
    .option('--rounds <n>', 'measurements of each', positiveWholeNumber, 5)
    .option('--small', 'a tenth of the entries, for a quick look')
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .action(benchProcesses)
  return onAllProcesses(command)
}

function problemList(text: string): ProcessesProblem[] {
  const names = text.split(',')
  const unknown = names.find((name) => !processesProblems.includes(name as ProcessesProblem))
  if (unknown !== undefined)
    throw new InputError(
      'option',
      `There is no problem '${unknown}'; there are ${processesProblems.join(', ')}.`,
    )
  return names as ProcessesProblem[]
}

async function benchProcesses({ small = false, ...options }: ProcessesOptions): Promise<void> {
  const progress = spokenProgress(options.quiet ?? false)
  await withCpuEngine(options, async (engine) => {
    const onProgress = (line: string): void => progress.update(line)
    const bench = await runProcessesBench(engine, { ...options, small, onProgress })
    progress.end()
    if (isSpeaker) await (options.json ? printJson(bench) : print(describeProcesses(bench)))
  })
}

function describeProcesses({ processes, threads, rows }: ProcessesBench): string {
  const share = (part: number): string => `${Math.round(100 * part)}%`
  const head = ['problem', 'solver', 'R', 'load s', 's/epoch', 'exchange', 'at most', 'peak']
  const lines = rows.map((row) => [
    row.problem,
    row.solver,
    String(row.rank),
    row.loadingSeconds.toFixed(2),
    row.secondsPerEpoch.toFixed(4),
    share(row.exchanging.mean),
    share(row.exchanging.most),
    formatBytes(row.peak),
  ])
  return `${processes} × ${threads} (processes × threads)\n\n${table([head, ...lines])}`
}

function describeSize(bench: SizeBench): string {
  const { dims, entries, processes, parts, planned, peak, makingSeconds, loadingSeconds, secondsPerEpoch } =
    bench
  return [
    `${dims.join('×')}, ${count(entries)} entries, ${parts} part${parts > 1 ? 's' : ''}${processes > 1 ? ` on each of ${processes} processes` : ''}`,
    `made in ${makingSeconds.toFixed(1)} s, loaded in ${loadingSeconds.toFixed(1)} s, ${secondsPerEpoch.toFixed(2)} s per epoch`,
    `memory: ${formatBytes(planned)} planned, ${formatBytes(peak)} at the peak (${figure(peak / planned)} of it)`,
    `error ${figure(bench.error)} after ${figure(bench.epochs)} epochs`,
  ].join('\n')
}

function convergenceCommand(): Command {
  const names = benchProblems(false).map(({ name }) => name)
  return new Command('convergence')
    .description('held-out error against seconds and epochs, both solvers on the same problem')
    .option(
      '--problem <name>',
      `one of them; all by default: ${names.join(', ')}, and real ones that are there`,
    )
    .option(
      '--data <folder>',
      'where real data lies, in folders movielens, uber, kinetic, hangzhou; none by default',
    )
    .option('--full', "MovieLens-like problems at the paper's size, not at a tenth")
    .option('--train <file>', 'your own problem instead: training entries (.tns) …')
    .option('--test <file>', '… and held-out ones')
    .option('--rank <r>', '… and its rank', positiveWholeNumber, 10)
    .option('--threads <n>', 'worker threads', positiveWholeNumber, hardwareThreads())
    .option('--samples <list>', 'also the fast solver with these fixed c, as in 0.05,0.2,1', decimalNumbers)
    .option('--rounds <n>', 'measurements of each', positiveWholeNumber, 1)
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'no progress')
    .action(convergence)
}

async function convergence(options: ConvergenceCommandOptions): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { threads, samples = [], rounds, problem, full = false } = options
  const known = [...benchProblems(full), ...(options.data === undefined ? [] : realProblems(options.data))]
  const problems = options.train
    ? [await ownProblem(options)]
    : known.filter(({ name }) => !problem || name.replace('-full', '') === problem)
  if (problems.length === 0)
    throw new InputError(
      'option',
      `There is no problem '${problem}'; there are ${known.map(({ name }) => name).join(', ')}.`,
    )
  const results: Comparison[] = []
  for (const each of problems) {
    const result = await compare(each, {
      threads,
      samples,
      rounds,
      onProgress: (line) => progress.update(line),
    })
    progress.end()
    results.push(result)
    if (!options.json) await print(describeComparison(result))
  }
  if (options.json) await printJson(results)
}

async function ownProblem({ train, test, rank }: ConvergenceCommandOptions): Promise<BenchProblem> {
  if (!train || !test)
    throw new InputError('option', '--train and --test belong together: the entries, and those held out.')
  const [tensor, heldOut] = await Promise.all(
    [train, test].map((path) => readTensor(path, { negative: 'keep' })),
  )
  const dims = tensor.dims.map((dim, mode) => Math.max(dim, heldOut.dims[mode]))
  return {
    ...{ name: train, rank, epochs: 100, lambdas: [0.01, 0.1, 1] },
    make: () => ({ tensor: { ...tensor, dims }, test: { ...heldOut, dims } }),
  }
}

function describeComparison({
  problem,
  dims,
  entries,
  rank,
  threads,
  heldOutRms,
  curves,
  target,
  levels,
}: Comparison): string {
  const time = (s: number | null): string => (s === null ? '–' : s.toFixed(2))
  const times = (a: number | null, b: number | null): string =>
    a === null || b === null ? '–' : (a / b).toFixed(1)
  const rows = levels.map((l) => [
    String(l.error),
    time(l.paper),
    time(l.fast),
    times(l.paper, l.fast),
    time(l.fixed),
    times(l.fast, l.fixed),
  ])
  const ends = curves.map(({ solver, sample, lambda, points, best }) => {
    const last = points[points.length - 1]
    return [
      solver,
      String(sample),
      String(lambda),
      figure(best),
      figure(best * heldOutRms),
      figure(last.error),
      last.epoch.toFixed(1),
      last.seconds.toFixed(2),
    ]
  })
  return [
    `\n${problem}: ${dims.join('×')}, ${count(entries)} entries, R = ${rank}, ${threads} threads`,
    `Held-out error ${figure(target.error)} (RMSE ${figure(target.error * heldOutRms)}), the paper solver's best: ${time(target.paperSeconds)} s by it, ${time(target.fastSeconds)} s by fast, ratio ${times(target.paperSeconds, target.fastSeconds)}`,
    '\nSeconds of updates to a held-out relative error',
    table([['error', 'paper, best c', 'fast', 'paper/fast', 'fast, best fixed c', 'auto/fixed'], ...rows]),
    '\nCurves',
    table([['solver', 'c', 'lambda', 'best', 'RMSE', 'last', 'epochs', 'seconds'], ...ends]),
  ].join('\n')
}
