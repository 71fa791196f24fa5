/** `lacuna split`: divides the entries of a tensor into files for training, validation and test. */
import { existsSync } from 'node:fs'
import { Command, Option } from 'commander'
import { InputError, leaveOneOut, type SparseTensor, split, splitByTime } from 'lacuna'
import {
  checkOutputs,
  kindByName,
  modeNumber,
  type NegativePolicy,
  option,
  type Split,
  writableEndings,
  writeTensors,
} from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'
import { fraction, negative, sizes, wholeNumber } from '../options/arguments.ts'
import { readWithProgress } from '../options/readTensor.ts'
import { addTableOptions, duplicatesOf, maskHelp, tableOptions } from '../options/tableOptions.ts'
import { formatCounted } from '../print/format.ts'
import { printJson } from '../print/print.ts'
import { startProgress } from '../print/terminal.ts'

/** Options of `lacuna split`, as parsed from the command line; the help describes each. */
interface Options extends TableOptions {
  test?: number
  validation?: number
  by: 'random' | 'time' | 'last'
  time?: string
  seed: number
  output: string
  format?: string
  dims?: number[]
  negative: NegativePolicy
  mask?: string
  json?: boolean
  quiet?: boolean
}

/** Creates the command `split`. */
export function splitCommand(): Command {
  const command = new Command('split')
    .description('Divides the entries of a tensor into files for training, validation and test.')
    .argument('<file>', 'a tensor: .tns, .npy, .npz, or a table; - for stdin')
    .option('--test <fraction>', 'fraction of the entries for test, as in 0.1', fraction)
    .option('--validation <fraction>', 'fraction of the entries for validation', fraction)
    .addOption(
      new Option('--by <way>', 'at random; by time: the latest; last: the last entry of each row of mode 1')
        .choices(['random', 'time', 'last'])
        .default('random'),
    )
    .option('--time <mode>', 'the mode in order of time, by number from 1 or by name; the last by default')
    .option('--seed <s>', 'the same seed gives the same files', wholeNumber, 1)
    .requiredOption(
      '-o, --output <prefix>',
      'writes PREFIX.train.EXT, PREFIX.validation.EXT and PREFIX.test.EXT',
    )
    .option(
      '--format <ext>',
      `EXT, if not that of the file: ${writableEndings.map((e) => e.slice(1)).join(' ')}`,
    )
    .option('--dims <sizes>', 'size of each mode, as in 183x24x1140', sizes)
    .option('--negative <policy>', 'negative values: error, keep or clip (to zero)', negative, 'keep')
    .option('--mask <file>', maskHelp)
    .option('--json', 'print a JSON object with files and counts')
    .option('-q, --quiet', 'no progress')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  lacuna split ratings.tns --test 0.1 --validation 0.1 --seed 7 -o ratings
  lacuna split ratings.tns --test 0.2 --by time --time 3 -o later
  lacuna split ratings.tns --by last -o last-of-each-user --format csv

At random, these are the entries that 'lacuna complete --test 0.1 --seed 7' holds out.`,
    )
    .action(runSplit)
}

/**
 * Runs `lacuna split`: reads the tensor, divides it, writes a file per set, and prints their numbers of
 * entries.
 */
async function runSplit(file: string, options: Options): Promise<void> {
  const { by, output, dims, negative, mask } = options
  const duplicates = duplicatesOf(options)
  const progress = startProgress(options.quiet ?? false)
  if (by !== 'last' && !options.test && !options.validation)
    throw new InputError(
      'option',
      'There is nothing to hold out; give --test FRACTION, --validation FRACTION or --by last.',
    )
  const ending = chooseEnding(file, options.format)
  const wanted = (['train', 'validation', 'test'] as const).filter(
    (set) => set === 'train' || options[set] !== undefined || (set === 'test' && by === 'last'),
  )
  const pathOf = (set: string): string => `${output}.${set}${ending}`
  await checkOutputs(wanted.map(pathOf), [file, mask])
  refuseLeftovers(output, wanted)
  const asked = { ...tableOptions(options), dims, negative, duplicates, mask }
  const tensor = await readWithProgress([file], asked, progress)
  if (by === 'last' && options.test)
    progress.say('With --by last every row gives one entry for test: the fraction is not used.')
  if (by === 'time')
    progress.say(
      'By time, the held-out entries lie at times that training never saw: a model that has this time as a mode can only predict them as an average time.',
    )
  const sets = divideEntries(tensor, options)
  const report: Record<string, { file: string; entries: number }> = {}
  await writeTensors(wanted.map((set) => ({ path: pathOf(set), tensor: sets[set] })))
  for (const set of wanted) {
    const entries = sets[set].values.length
    report[set] = { file: pathOf(set), entries }
    progress.say(`${pathOf(set)}: ${formatCounted(entries, 'entry')}`)
  }
  if (tensor.weights && /\.(tns|tns\.gz|npy)$/.test(ending))
    progress.say(`Not kept: the weights, for which ${ending} has no place.`)
  if (options.json) await printJson({ dims: tensor.dims, by, seed: options.seed, ...report })
}

/**
 * Throws if a file of a set that is not written now exists under the prefix, with any ending that can be
 * written: it would seem to belong to this split.
 * @param output prefix of the files @param wanted names of the sets that are written
 */
function refuseLeftovers(output: string, wanted: readonly string[]): void {
  const other = ['train', 'validation', 'test']
    .filter((set) => !wanted.includes(set))
    .flatMap((set) => writableEndings.map((ending) => `${output}.${set}${ending}`))
    .find((path) => existsSync(path))
  if (other !== undefined)
    throw new InputError(
      'file',
      `${other}: this is of an earlier split, and would not belong to this one; remove it, or choose another prefix.`,
    )
}

/** Divides the entries at random, by time, or by the last entry of each row of mode 1, as --by says. */
function divideEntries(tensor: SparseTensor, { by, time, test, validation, seed }: Options): Split {
  const fractions = { test, validation }
  if (by === 'random') {
    if (time !== undefined) throw new InputError('option', '--time goes with --by time or --by last.')
    return split(tensor, fractions, seed)
  }
  const order = { seed, time: time === undefined ? undefined : modeNumber(tensor, time, option('time')) }
  return by === 'time'
    ? splitByTime(tensor, fractions, order)
    : leaveOneOut(tensor, { ...order, validation: validation !== undefined })
}

/**
 * Returns the ending of the output: that of --format, or of an input that is .tns, .npy or .npz, or else
 * .csv.
 */
function chooseEnding(file: string, format: string | undefined): string {
  const wanted = format === undefined ? undefined : `.${format.replace(/^\./, '')}`
  if (wanted !== undefined && !writableEndings.includes(wanted))
    throw new InputError(
      'option',
      `--format ${format}: give one of ${writableEndings.map((e) => e.slice(1)).join(', ')}.`,
    )
  const own = ['.tns.gz', '.tns', '.npy', '.npz'].find((ending) => file.endsWith(ending))
  return wanted ?? own ?? (kindByName(file) === 'arrays' ? '.npz' : '.csv')
}
