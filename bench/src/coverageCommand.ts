/** `bench coverage`: the fraction of hidden values in their 90% intervals. */
import { Command, Option } from 'commander'
import { InputError } from 'lacuna'
import { positiveWholeNumber, print, wholeNumber } from '#cli/kit.ts'
import {
  type Covered,
  type CoveredSet,
  coverEach,
  hideFor,
  measureCoverage,
  measureForecast,
} from './measure/coverage/measureCoverage.ts'
import { type CoverageProblem, coverageProblems, thinAndHide } from './measure/coverage/problems.ts'

/** Options of the command line. */
interface Options {
  data: string
  kinds: string
  foldBy: 'gaps' | 'entry' | 'blocks'
  draws: number
  firstSeed: number
  rank: number
  folds: number
  threads: number
}

/** Creates the command `bench coverage`. */
export function coverageCommand(): Command {
  const names = coverageProblems.map(({ name }) => name)
  return new Command('coverage')
    .description('fraction of hidden values in their 90% intervals, one JSON line for each draw')
    .argument('[problems...]', `of ${names.join(', ')}`, names)
    .option('--data <folder>', 'folder of real data, in subfolders movielens, uber, kinetic, hangzhou', '.')
    .option(
      '--kinds <list>',
      'what is hidden, of cells, blocks, thinned, rows, ahead',
      'cells,blocks,thinned,rows,ahead',
    )
    .addOption(
      new Option(
        '--fold-by <what>',
        'folds of thinned entries: as cells are missing, single entries, or blocks',
      )
        .choices(['gaps', 'entry', 'blocks'])
        .default('gaps'),
    )
    .option('--draws <n>', 'draws of each; of steps ahead, origins', positiveWholeNumber, 4)
    .option('--first-seed <s>', 'seed of the first draw', wholeNumber, 1)
    .option('--rank <r>', 'components of cells, blocks and rows', positiveWholeNumber, 6)
    .option('--folds <n>', 'models of each ensemble', positiveWholeNumber, 3)
    .option('--threads <n>', 'threads of each run', positiveWholeNumber, 1)
    .action(runCoverage)
}

/** Measures, and prints a line for each draw, and for each kind the sum. */
async function runCoverage(names: string[], options: Options): Promise<void> {
  for (const name of names) {
    const problem = coverageProblems.find((candidate) => candidate.name === name)
    if (!problem) throw new InputError('option', `There is no problem ${name}.`)
    for (const kind of options.kinds.split(',')) {
      if (kind === 'ahead') await measureAhead(problem, options)
      else if (kind === 'thinned') await measureThinned(problem, options)
      else if (kind === 'rows') for (const mode of problem.modes) await measureDraws(problem, mode, options)
      else if (kind === 'cells' || kind === 'blocks') await measureDraws(problem, kind, options)
      else throw new InputError('option', `There is no kind ${kind}.`)
    }
  }
}

/** Measures the draws of a problem in which cells, blocks or rows are hidden. */
async function measureDraws(
  problem: CoverageProblem,
  what: 'cells' | 'blocks' | number,
  { data, draws, firstSeed, ...settings }: Options,
): Promise<void> {
  const all: Covered[] = []
  for (let draw = 0; draw < draws; draw++) {
    const options = { ...settings, folder: data, seed: firstSeed + draw }
    all.push(await measureCoverage(await hideFor(problem, what, options), options))
  }
  const hidden = typeof what === 'number' ? `rows of mode ${what + 1}` : what
  await print(JSON.stringify({ problem: problem.name, hidden, ...summarize(all) }))
}

/** Fraction of the blocks that are hidden beside single cells. */
const LOST_BLOCKS = 0.2

/** Measures draws of a problem that is thinned out at random, with whole blocks hidden beside. */
async function measureThinned(
  problem: CoverageProblem,
  { data, draws, firstSeed, foldBy, ...settings }: Options,
): Promise<void> {
  if (!problem.blocks) return
  const modes = foldBy === 'entry' ? undefined : problem.blocks
  const sets: CoveredSet[][] = [[], []]
  for (let draw = 0; draw < draws; draw++) {
    const seed = firstSeed + draw
    const { train, inBlocks, single } = (await thinAndHide(problem, [data, seed], LOST_BLOCKS))!
    const by = (modes ?? [...train.dims.keys()]).map((mode) => ({ mode, length: 1 }))
    const options = { ...settings, folder: data, seed }
    const covered = await coverEach(train, [inBlocks, single], options, foldBy === 'gaps' ? undefined : by)
    for (const [s, set] of covered.entries()) sets[s].push(set)
  }
  for (const [s, hidden] of ['blocks of thinned entries', 'single cells beside them'].entries()) {
    const mean = (key: 'width' | 'rmse'): number =>
      Number((sets[s].reduce((sum, set) => sum + set[key], 0) / draws).toPrecision(4))
    const line = { problem: problem.name, hidden, foldBy, ...summarize(sets[s]) }
    await print(JSON.stringify({ ...line, width: mean('width'), rmse: mean('rmse') }))
  }
}

/** Forecasts from several origins; a synthetic problem is drawn anew for each. */
async function measureAhead(
  problem: CoverageProblem,
  { data, draws, firstSeed, ...settings }: Options,
): Promise<void> {
  if (!problem.time) return
  const steps: Covered[][] = Array.from({ length: problem.time.horizon }, () => [])
  for (let draw = 0; draw < draws; draw++) {
    const options = { ...settings, folder: data, seed: firstSeed + draw }
    const back = draw * problem.time.stride
    const result = await measureForecast(problem, back, options)
    const { rmse, naive, seasonMean, settings: used } = result
    for (const [step, covered] of result.steps.entries()) steps[step].push(covered)
    const coverage = result.steps.map((covered) => Number((covered.inside / covered.values).toFixed(3)))
    const errors = { rmse, naive, seasonMean }
    await print(
      JSON.stringify({
        problem: problem.name,
        seed: options.seed,
        back,
        ...errors,
        coverage,
        settings: used,
      }),
    )
  }
  for (const [step, covered] of steps.entries())
    await print(JSON.stringify({ problem: problem.name, hidden: `step ${step + 1}`, ...summarize(covered) }))
}

/** The mean coverage of all values, and that of each draw. */
function summarize(draws: readonly Covered[]): object {
  const total = (key: keyof Covered): number => draws.reduce((sum, draw) => sum + draw[key], 0)
  return {
    coverage: Number((total('inside') / total('values')).toFixed(3)),
    values: total('values'),
    refused: total('refused'),
    draws: draws.map(({ inside, values }) => Number((inside / values).toFixed(3))),
  }
}
