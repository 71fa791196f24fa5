/** `lacuna paper`: repeats the experiments of the paper and writes a report. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { hardwareThreads } from 'lacuna/internal'
import { type Claim, type ScaleName, scaleNames } from 'lacuna-figures/results'
import { positiveWholeNumber, wholeNumber, wholeNumbers } from '../options/arguments.ts'
import { print, printJson } from '../print/print.ts'
import { painter, startProgress } from '../print/terminal.ts'
import { withSignals } from '../process/signals.ts'

/** Options of `lacuna paper`, as parsed from the command line; the help describes each. */
interface Options {
  scale: ScaleName
  only: number[]
  trials?: number
  threads: number[]
  image?: string
  movielens?: string
  uber?: string[]
  seed: number
  output: string
  force?: boolean
  json?: boolean
  quiet?: boolean
}

/** Numbers of the figures that --only accepts. */
const FIGURES = [1, 2, 3, 4]

/** Creates the command `paper`. */
export function paperCommand(): Command {
  return new Command('paper')
    .description(
      "Does the paper's experiments again, with both solvers, and writes its figures and a report.",
    )
    .addOption(
      new Option('--scale <name>', "tiny: seconds; small: minutes; full: the paper's sizes")
        .choices(scaleNames)
        .default('small'),
    )
    .option('--only <figures>', 'some of the figures, as in 1,3', parseFigures, FIGURES)
    .option(
      '--trials <n>',
      'Monte Carlo trials (default: 5 at full scale, 2 to 5 below)',
      positiveWholeNumber,
    )
    .option(
      '--threads <list>',
      'numbers of threads for figures 3 and 4, as in 1,2,4',
      wholeNumbers,
      powersOfTwo(hardwareThreads()),
    )
    .option('--image <file>', "a picture of yours for figure 1; lacuna's own by default")
    .option('--movielens <file>', 'MovieLens ratings (ratings.dat, ratings.csv or .tns): T of figure 2')
    .option('--uber <files...>', 'Uber pickups (uber-raw-data-apr14.csv … or .tns): T of figures 3 and 4')
    .option('--seed <s>', 'decides data, noise, samples and starting points', wholeNumber, 1)
    .requiredOption('-o, --output <folder>', 'where everything goes; made if it is not there')
    .option('--force', 'forget the trials that the folder holds')
    .option('--json', 'print the claims and files as a JSON object')
    .option('-q, --quiet', 'no progress')
    .addHelpText(
      'after',
      `
Examples:
  lacuna paper -o paper-results                             all four figures, a few minutes
  lacuna paper --scale tiny -o quick                        the same in seconds, to see what comes out
  lacuna paper --scale full --only 2 --movielens ml-10M100K/ratings.dat -o full
  lacuna paper --only 3,4 --threads 1,2,4,8 --uber uber-raw-data-*14.csv -o uber

The folder gets report.html, results.json, and each figure as SVG and PNG. Ctrl-C loses only the trial at hand: the same
command goes on from there. More figures or trials can be added to a folder later.`,
    )
    .action(runExperiments)
}

/** Parses the value of --only: numbers of figures, separated by commas. */
function parseFigures(text: string): number[] {
  const numbers = wholeNumbers(text)
  if (numbers.some((number) => !FIGURES.includes(number)))
    throw new InvalidArgumentError('It must be figures from 1 to 4, as in 1,3.')
  return numbers
}

/** Lists the powers of two below a limit, and the limit itself. */
function powersOfTwo(limit: number): number[] {
  const numbers: number[] = []
  for (let n = 1; n < limit; n *= 2) numbers.push(n)
  return [...numbers, limit]
}

/** Runs `lacuna paper`: the experiments, then figures and report; prints the claims with their verdicts. */
async function runExperiments(options: Options): Promise<void> {
  const progress = startProgress(options.quiet ?? false)
  const { scale, only, trials, seed, image, movielens, uber, output: folder, force = false } = options
  const threads = [...new Set(options.threads)].sort((a, b) => a - b)
  // Loaded when needed: other commands do without DuckDB's readers, Plot and sharp.
  const { runPaper } = await import('../paper/run.ts')
  const { writeReport } = await import('../paper/report/index.ts')
  const results = await withSignals(async ({ signal, outcome }) => {
    try {
      return await runPaper({
        ...{ folder, scale, figures: only, trials, threads, seed, image, movielens, uber, force },
        ...{ signal, onProgress: progress.update, onRemark: progress.say },
      })
    } catch (error) {
      if (!signal.aborted) throw error
      progress.say(`Stopped. Finished trials are in ${folder}: the same command goes on from there.`)
      throw outcome()
    } finally {
      progress.end()
    }
  })
  progress.update('Drawing the figures …')
  const files = await writeReport(results, folder)
  if (options.json) await printJson({ folder, files, scale, claims: results.claims })
  else await print(textReport(results.claims, folder, files))
}

/** Verdicts on a claim, in words. */
const VERDICTS = { holds: 'holds here:', fails: 'does not hold here:', untested: 'not tested here:' }

/** Formats the claims with their verdicts and evidence, and the files that were written. */
function textReport(claims: readonly Claim[], folder: string, files: readonly string[]): string {
  const { bold, dim } = painter(process.stdout)
  const lines = claims.flatMap(({ statement, verdict, evidence }) => [
    `${bold(VERDICTS[verdict])} ${statement}`,
    `  ${dim(evidence)}`,
  ])
  return [bold("The paper's claims"), ...lines, '', `In ${folder}: ${files.join(', ')}`].join('\n')
}
