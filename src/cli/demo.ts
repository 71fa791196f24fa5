import { Command } from 'commander'
import { cpuEngine, describeMemory } from '../engine/cpu/index.ts'
import { complete, defaults, meanError } from '../solver/index.ts'
import { ratings, split } from '../tensor/index.ts'
import { positiveWholeNumber } from './arguments.ts'
import { epochLine } from './epochLine.ts'
import { count, figure, seconds, table } from './format.ts'
import { print } from './print.ts'
import { painter, startProgress } from './terminal.ts'

export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Completes made-up ratings (users × movies × weeks) and shows what it learned about the held-out ones.',
    )
    .option('--threads <n>', 'worker threads; all cores by default', positiveWholeNumber)
    .action(demo)
}

async function demo({ threads }: { threads?: number }): Promise<void> {
  const progress = startProgress(false)
  const { bold, dim } = painter(process.stdout)
  const all = ratings({ users: 6000, items: 4000, weeks: 100, entries: 1_000_000, seed: 1 })
  const { train, validation, test } = split(all, { validation: 0.05, test: 0.05 }, 1)
  progress.say(
    `Made-up ratings: ${all.dims.join(' users × ').replace(/ users × (\d+)$/, ' movies × $1 weeks')}, ${count(all.values.length)} of them; ${count(test.values.length)} are held out to be predicted.`,
  )

  const engine = cpuEngine({
    threads,
    onPlan: (plan) => progress.say(`Rank 8 on ${engine.threads} threads, ${describeMemory(plan)}`),
  })
  const line = epochLine({ entries: train.values.length, epochs: defaults.fast.epochs })
  const { model, seconds: elapsed } = await complete(train, {
    ...{ rank: 8, validation, patience: 5, seed: 1, engine },
    onEpoch: (report) => progress.update(line(report)),
  })
  progress.end()

  const [learned, mean] = [model.error(test), meanError(train, test)]
  const rows = [
    ['', 'RMSE in stars', 'relative error'],
    ['the mean rating', figure(mean.rmse), figure(mean.relative)],
    ['lacuna, rank 8', figure(learned.rmse), figure(learned.relative)],
  ]
  await print(`\n${bold('Error on the held-out ratings')} (learned in ${seconds(elapsed)})\n${table(rows)}\n`)
  await print(dim('Next: node dist/cli/main.js --help, or the tour in README.md.'))
}
