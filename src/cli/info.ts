import { Command } from 'commander'
import { formatBytes, hardwareThreads, planMemory } from '../engine/cpu/index.ts'
import { type DuplicatePolicy, describeTensor, type TensorDescription } from '../tensor/index.ts'
import { duplicates, positiveWholeNumber, sizes } from './arguments.ts'
import { count, figure, table } from './format.ts'
import { print, printJson } from './print.ts'
import { readWithProgress } from './reading.ts'
import { startProgress } from './terminal.ts'

interface Options {
  rank: number
  threads: number
  dims?: number[]
  duplicates?: DuplicatePolicy
  mask?: string
  json?: boolean
}

export function infoCommand(): Command {
  return new Command('info')
    .description('Tells what a tensor file holds, and what memory solving it would take.')
    .argument('<file>', 'a tensor: .tns, .tns.gz, .npy or .npz')
    .option('--rank <r>', 'the rank to plan memory for', positiveWholeNumber, 10)
    .option('--threads <n>', 'the threads to plan memory for', positiveWholeNumber, hardwareThreads())
    .option('--dims <sizes>', 'size of each mode; the largest index by default', sizes)
    .option('--duplicates <policy>', 'sum, mean or last: how to merge repeated coordinates', duplicates)
    .option('--mask <file>', 'which elements of a dense array are observed: an .npy of truth values')
    .option('--json', 'print a JSON object')
    .addHelpText('after', '\nExample:\n  lacuna info ratings.tns.gz --rank 20')
    .action(info)
}

async function info(file: string, options: Options): Promise<void> {
  const progress = startProgress(true)
  const tensor = await readWithProgress(
    file,
    { negative: 'keep', dims: options.dims, duplicates: options.duplicates, mask: options.mask },
    progress,
  )
  const description = describeTensor(tensor)
  const { rank, threads } = options
  const plan = planMemory({
    dims: tensor.dims,
    entries: tensor.values.length,
    rank,
    threads,
    companions: true,
  })
  const memory = { rank, threads, bytes: plan.byteLength, parts: plan.parts }
  if (options.json) return printJson({ file, ...description, memory })
  await print(describe(file, description))
  const parts = plan.parts.map(({ name, byteLength }) => `${name} ${formatBytes(byteLength)}`)
  await print(
    `\nMemory to solve at rank ${rank} with ${threads} threads: ${formatBytes(plan.byteLength)} (${parts.join(', ')})`,
  )
}

function describe(file: string, { order, dims, entries, density, values, modes }: TensorDescription): string {
  const head = table(
    [
      ['File', file],
      ['Order', String(order)],
      ['Size', dims.join(' × ')],
      ['Entries', count(entries)],
      ['Density', `${figure(100 * density)} %`],
      [
        'Values',
        `${figure(values.min)} … ${figure(values.max)}, mean ${figure(values.mean)}, rms ${figure(values.rms)}`,
      ],
      ...(values.negative > 0 ? [['', `${count(values.negative)} negative`]] : []),
    ].map(([name, value]) => [name.padEnd(9) + value]),
  )
  const rows = modes.map((m, i) => [
    String(i + 1),
    count(m.rows),
    count(m.empty),
    count(m.min),
    count(m.median),
    figure(m.mean),
    count(m.max),
  ])
  return `${head}\n\nEntries per row, by mode\n${table([['mode', 'rows', 'empty', 'min', 'median', 'mean', 'max'], ...rows])}`
}
