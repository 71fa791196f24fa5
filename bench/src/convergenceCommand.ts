/** `bench convergence`: held-out error against time, for both solvers on the same problem. */
import { writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { InputError, readTensor } from 'lacuna'
import { hardwareThreads } from 'lacuna/internal'
import {
  createDocument,
  decimalNumbers,
  formatCount,
  formatNumber,
  formatTable,
  positiveWholeNumber,
  print,
  printJson,
  startProgress,
} from '#cli/kit.ts'
import { type Comparison, compareSolvers } from './measure/convergence.ts'
import { convergencePlot } from './measure/convergencePlot.ts'
import { realProblems } from './measure/realProblems.ts'
import { type BenchProblem, syntheticProblems } from './measure/syntheticProblems.ts'

/** Options of the command line. */
interface ConvergenceCommandOptions {
  problem?: string[]
  data?: string
  full?: boolean
  train?: string
  test?: string
  rank: number
  threads: number
  samples?: number[]
  rounds: number
  plot?: string
  json?: boolean
  quiet?: boolean
}

/** Creates the command `bench convergence`. */
export function convergenceCommand(): Command {
  const names = syntheticProblems(false).map(({ name }) => name)
  return new Command('convergence')
    .description('held-out error against seconds and epochs, both solvers on the same problem')
    .option(
      '--problem <list>',
      `names of problems (default: all): ${names.join(', ')}, and those of --data`,
      (list: string) => list.split(','),
    )
    .option(
      '--data <folder>',
      'folder of real data, in subfolders movielens, uber, kinetic, hangzhou (default: none)',
    )
    .option('--full', "MovieLens-like problems at the paper's size, not at a tenth")
    .option('--train <file>', 'your own problem instead: training entries (.tns) …')
    .option('--test <file>', '… and held-out ones')
    .option('--rank <r>', '… and its rank', positiveWholeNumber, 10)
    .option('--threads <n>', 'worker threads', positiveWholeNumber, hardwareThreads())
    .option('--samples <list>', 'also the fast solver with these fixed c, as in 0.05,0.2,1', decimalNumbers)
    .option('--rounds <n>', 'measurements of each', positiveWholeNumber, 1)
    .option('--plot <file>', 'also draw the curves, as SVG')
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'no progress')
    .action(runConvergence)
}

/** Compares the solvers on the chosen problems, and prints tables or JSON. */
async function runConvergence(options: ConvergenceCommandOptions): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { threads, samples = [], rounds, problem, full = false } = options
  const known = [
    ...syntheticProblems(full),
    ...(options.data === undefined ? [] : realProblems(options.data)),
  ]
  const problems = options.train
    ? [await readProblem(options)]
    : known.filter(({ name }) => !problem || problem.includes(name.replace('-full', '')))
  if (problems.length === 0)
    throw new InputError(
      'option',
      `There is no problem '${problem?.join(',')}'; there are ${known.map(({ name }) => name).join(', ')}.`,
    )
  const results: Comparison[] = []
  for (const each of problems) {
    const result = await compareSolvers(each, {
      threads,
      samples,
      rounds,
      onProgress: (line) => progress.update(line),
    })
    progress.end()
    results.push(result)
    if (!options.json) await print(formatComparison(result))
  }
  if (options.json) await printJson(results)
  if (options.plot)
    await writeFile(options.plot, `${convergencePlot(results, await createDocument()).outerHTML}\n`)
}

/** Reads the problem of --train and --test; throws if one of them is missing. */
async function readProblem({ train, test, rank }: ConvergenceCommandOptions): Promise<BenchProblem> {
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

/** Formats a comparison as text: the times to reach given errors, and the end of every curve. */
function formatComparison({
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
      formatNumber(best),
      formatNumber(best * heldOutRms),
      formatNumber(last.error),
      last.epoch.toFixed(1),
      last.seconds.toFixed(2),
    ]
  })
  return [
    `\n${problem}: ${dims.join('×')}, ${formatCount(entries)} entries, R = ${rank}, ${threads} threads`,
    `Held-out error ${formatNumber(target.error)} (RMSE ${formatNumber(target.error * heldOutRms)}), the paper solver's best: ${time(target.paperSeconds)} s by it, ${time(target.fastSeconds)} s by fast, ratio ${times(target.paperSeconds, target.fastSeconds)}`,
    '\nSeconds of updates to a held-out relative error',
    formatTable([
      ['error', 'paper, best c', 'fast', 'paper/fast', 'fast, best fixed c', 'auto/fixed'],
      ...rows,
    ]),
    '\nCurves',
    formatTable([['solver', 'c', 'lambda', 'best', 'RMSE', 'last', 'epochs', 'seconds'], ...ends]),
  ].join('\n')
}
