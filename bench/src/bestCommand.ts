/** `bench best`: test errors of one model, folds and `--best` where cells of our own masks are hidden. */
import { Command } from 'commander'
import { InputError } from 'lacuna'
import { positiveWholeNumber, print } from '#cli/kit.ts'
import { maskedSets } from './measure/best/maskedSets.ts'
import { MaskedFiles } from './measure/best/measureMasked.ts'
import { methods } from './measure/best/methods.ts'

/** Options of the command line. */
interface Options {
  data: string
  cli: string
  name?: string
  methods: string
  seconds: number
  threads: number
  list?: boolean
}

/** Creates the command `bench best`. */
export function bestCommand(): Command {
  return new Command('best')
    .description('test errors of one model, folds and --best on masked data, one JSON line for each')
    .argument('[jobs...]', 'as in hangzhou-days:3, a set and the seed of its mask')
    .option('--list', 'print all jobs, one per line, instead: five masks of each set')
    .option('--data <folder>', 'folder of real data, in subfolders movielens, uber, kinetic, hangzhou', '.')
    .option('--cli <file>', 'the command that is measured', 'packages/cli/dist/lacuna.js')
    .option('--name <text>', 'name of that command in the results (default: its path)')
    .option('--methods <list>', `of ${Object.keys(methods).join(', ')}`, 'default,rank64,folds,best')
    .option('--seconds <s>', 'limit of --best', positiveWholeNumber, 60)
    .option('--threads <n>', 'threads of each run', positiveWholeNumber, 2)
    .addHelpText(
      'after',
      '\nExample, eight jobs at a time:\n  npm run bench -- best --list | xargs -P 8 -n 1 node bench/dist/bench.js best --data ../data',
    )
    .action(runBest)
}

/** Measures the methods on each job, and prints a line for each. */
async function runBest(jobs: string[], options: Options): Promise<void> {
  if (options.list) {
    for (const seed of [1, 2, 3, 4, 5]) for (const { name } of maskedSets) await print(`${name}:${seed}`)
    return
  }
  const names = options.methods.split(',')
  for (const name of names) if (!methods[name]) throw new InputError('option', `There is no method ${name}.`)
  for (const job of jobs) {
    const [name, seed] = job.split(':')
    const set = maskedSets.find((candidate) => candidate.name === name)
    if (!set) throw new InputError('option', `There is no set ${name}.`)
    const files = await MaskedFiles.write(await set.make(options.data, Number(seed)))
    try {
      for (const method of names) {
        const args = methods[method](set, options.seconds)
        if (!args) continue
        const result = await files
          .measure(options.cli, args, options.threads)
          .catch((error: Error) => ({ failed: error.message.slice(0, 500) }))
        const by = options.name ?? options.cli
        await print(JSON.stringify({ set: name, mask: Number(seed), method, by, ...result }, round))
      }
    } finally {
      files.remove()
    }
  }
}

/** Rounds numbers to five digits for JSON. */
const round = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(5)) : value
