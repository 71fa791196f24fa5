/** `lacuna synth`: writes a synthetic problem with known factors. */
import { Command } from 'commander'
import { InputError, synthetic } from 'lacuna'
import { checkOutputs, writeTensors } from 'lacuna/internal'
import { decibels, positiveWholeNumber, sizes, wholeNumber } from '../options/arguments.ts'
import { formatCount, formatCounted } from '../print/format.ts'
import { printJson } from '../print/print.ts'
import { startProgress } from '../print/terminal.ts'

/** Options of `lacuna synth`, as parsed from the command line; the help describes each. */
interface Options {
  dims: number[]
  entries: number
  rank: number
  snr?: number
  seed: number
  output: string
  testEntries?: number
  test?: string
  json?: boolean
  quiet?: boolean
}

/** Creates the command `synth`. */
export function synthCommand(): Command {
  return new Command('synth')
    .description(
      'Makes a synthetic problem as in the paper: factors i.i.d. U[0,1], uniform coordinates, Gaussian noise.',
    )
    .requiredOption('--dims <sizes>', 'size of each mode, as in 183x24x1140x1717', sizes)
    .requiredOption('--entries <n>', 'observed entries', positiveWholeNumber)
    .option('--rank <r>', 'rank of the truth', positiveWholeNumber, 10)
    .option('--snr <dB>', 'signal-to-noise ratio in dB (default: no noise)', decibels)
    .option('--seed <s>', 'the same seed gives the same problem', wholeNumber, 1)
    .requiredOption('-o, --output <file>', 'where to write it: FILE.tns or FILE.tns.gz')
    .option(
      '--test-entries <n>',
      'also held-out entries, without noise: they measure how well the truth is recovered',
      positiveWholeNumber,
    )
    .option('--test <file>', 'where to write these')
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .addHelpText(
      'after',
      '\nNoise makes some values negative: complete such data with --negative keep.\n\nExample:\n  lacuna synth --dims 183x24x1140x1717 --entries 3309490 --rank 10 -o uber-like.tns.gz',
    )
    .action(runSynth)
}

/** Runs `lacuna synth`: makes a synthetic problem and writes its entries and test entries. */
async function runSynth(options: Options): Promise<void> {
  const { dims, entries, rank, snr = Infinity, seed, output, testEntries, test: testFile } = options
  if ((testEntries === undefined) !== (testFile === undefined))
    throw new InputError('option', '--test-entries and --test belong together: how many, and where to.')
  const progress = startProgress(options.quiet ?? false)
  await checkOutputs([output, testFile], [])
  progress.update('Making the entries …')
  const { tensor, test } = synthetic({ dims, entries, rank, snrDb: snr, seed, testEntries })
  progress.update(`Writing ${output} …`)
  await writeTensors([
    { path: output, tensor },
    ...(test && testFile ? [{ path: testFile, tensor: test }] : []),
  ])
  progress.say(
    `${output}: ${dims.join('×')}, ${formatCounted(entries, 'entry')}, rank ${rank}, ${snr === Infinity ? 'no noise' : `SNR ${snr} dB`}, seed ${seed}`,
  )
  if (testFile) progress.say(`${testFile}: ${formatCount(testEntries!)} held-out entries, without noise`)
  if (options.json)
    await printJson({
      output,
      dims,
      entries,
      rank,
      snr: snr === Infinity ? null : snr,
      seed,
      test: testFile,
      testEntries,
    })
}
