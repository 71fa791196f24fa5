/** `lacuna info`: describes a tensor, a model or the engines of this machine. */
import { Command } from 'commander'
import { type CpModel, describeTensor, InputError, type SparseTensor } from 'lacuna'
import type { Observed } from 'lacuna/answers'
import { CpEnsemble } from 'lacuna/folds'
import {
  countsRemark,
  cpuEngine,
  formatBytes,
  formatSentence,
  hardwareThreads,
  kindByName,
  readTensorOrModel,
  sizeOfRun,
  type TensorDescription,
  TensorModel,
  unobservedRowsOf,
} from 'lacuna/internal'
import { listVariables, type VariableInfo } from 'lacuna/tables'
import { positiveWholeNumber, sizes } from '../options/arguments.ts'
import { inputName, type ReadingOptions, readWithProgress, reportRemark } from '../options/readTensor.ts'
import {
  addTableOptions,
  duplicatesOf,
  type FileOptions,
  filesHelp,
  maskHelp,
  tableOptions,
} from '../options/tableOptions.ts'
import { formatCount, formatNumber, formatTable } from '../print/format.ts'
import { commandLine, readingWords } from '../print/nextCommands.ts'
import { print, printJson } from '../print/print.ts'
import { oneLine } from '../print/printable.ts'
import { startProgress } from '../print/terminal.ts'
import { printEngines } from '../process/engines.ts'
import { asFlag } from '../process/failure.ts'
import { describeJob, planJob, refuseUnreadable } from '../process/memory.ts'
import { describeCrossFitRecord } from './complete/report/crossFitDetails.ts'
import { describeReshaping } from './complete/reshape.ts'

/** Options of `lacuna info`, as parsed from the command line; the help describes each. */
interface Options extends FileOptions {
  rank: number
  threads: number
  dims?: number[]
  mask?: string
  engines?: boolean
  json?: boolean
}

/** Creates the command `info`. */
export function infoCommand(): Command {
  const command = new Command('info')
    .description('Describes a tensor and the memory that solving it would take, or a model (.npz).')
    .argument('[files...]', filesHelp)
    .option('--rank <r>', 'the rank to plan memory for', positiveWholeNumber, 10)
    .option('--threads <n>', 'the threads to plan memory for', positiveWholeNumber, hardwareThreads())
    .option('--dims <sizes>', 'size of each mode; the largest index by default', sizes)
    .option('--mask <file>', maskHelp)
    .option('--engines', 'list the engines of this machine instead')
    .option('--json', 'print a JSON object')
  return addTableOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  lacuna info ratings.tns.gz --rank 20
  lacuna info ratings.csv --modes userId movieId "month(timestamp)" --value rating
  lacuna info --engines
  lacuna info sales --database shop.duckdb --modes customer product "weekday(sold)"`,
    )
    .action(runInfo)
}

/** Runs `lacuna info`: describes the engines, a model, or a tensor with the memory that it takes to solve. */
async function runInfo(files: string[], options: Options): Promise<void> {
  if (options.engines) return printEngines(options.threads, options.json ?? false)
  await refuseUnreadable(files.filter((file) => file !== '-'))
  const { dims, mask } = options
  const duplicates = duplicatesOf(options)
  // Only guesses and omissions are printed as notices; the rest is the output itself.
  const asked: ReadingOptions = {
    ...tableOptions(options),
    negative: 'keep',
    dims,
    duplicates,
    mask,
    explain: true,
  }
  const onRemark = reportRemark(startProgress(false))
  const isOne = files.length === 1 && options.query === undefined && options.database === undefined
  const variables = isOne && kindByName(files[0]) === 'arrays' ? await listVariables(files[0]) : undefined
  const read = (): Promise<SparseTensor | CpModel | CpEnsemble> =>
    isOne && (files[0] === '-' || files[0].endsWith('.npz'))
      ? readTensorOrModel(files[0], { ...asked, onRemark })
      : readWithProgress(files, { ...asked, onRemark }, startProgress(true))
  if (variables && !options.json) await print(formatVariables(variables))
  const found = await read().catch((error: unknown) => {
    // A file of several arrays needs --variable; without it, `info` lists the arrays and prints the error.
    const isOpen = variables !== undefined && options.variable === undefined
    if (isOpen && error instanceof InputError && error.code === 'option') return error
    throw error
  })
  if (found instanceof InputError) {
    if (options.json) return printJson({ file: files[0], variables })
    return print(`\n${found.in(asFlag)}`)
  }
  if (variables && !options.json) await print('')
  const file = files.map(inputName).join(' ') || (options.database ?? 'query')
  if (found instanceof TensorModel) return printModel(file, found, options.json ?? false)
  const description = describeTensor(found)
  const { rank, threads } = options
  const size = sizeOfRun({ dims: found.dims, entries: found.values.length }, { rank })
  const plan = planJob(cpuEngine({ threads }), size)
  const memory = { rank, threads, bytes: plan.byteLength, parts: plan.parts, items: plan.items }
  const counts = countsRemark(found)
  if (options.json)
    return printJson({ file, variables, ...description, looksLikeCounts: counts !== undefined, memory })
  await print(formatDescription(file, description))
  if (counts) await print(`\n${formatSentence(counts, asFlag)}`)
  const isTable = found.modes !== undefined && files.length > 0
  await print(
    `\nTo solve at rank ${rank} with ${threads} threads takes about ${describeJob(plan)}; there are ${formatBytes(plan.available)} free.`,
  )
  if (isTable)
    await print(
      `\nTo learn a model:\n  ${oneLine(commandLine(['complete', ...files, ...readingWords(found, options, files), '-o', 'model.npz']))}`,
    )
}

/** Prints a model or an ensemble: rank, modes, training record, observed values; all of it with --json. */
async function printModel(file: string, model: TensorModel, json: boolean): Promise<void> {
  const { dims, labels, modes, training } = model
  const members = model instanceof CpEnsemble ? model.members : [model as CpModel]
  const [{ rank, reshaping }] = members
  const unobserved = unobservedRowsOf(model)
  if (json)
    return printJson({
      file,
      dims,
      rank,
      models: members.length > 1 ? members.length : undefined,
      modes,
      arrangement: reshaping,
      unobserved: unobserved.map(({ length }) => length),
      training,
      observed: model.observed && { ...model.observed, counts: undefined, means: undefined },
    })
  const rows = dims.map((dim, i) => [
    String(i + 1),
    oneLine(modes?.[i]?.name ?? ''),
    formatCount(dim),
    formatCount(unobserved[i].length),
    labels?.[i] ? oneLine(`${labels[i]?.[0]} … ${labels[i]?.at(-1)}`) : '',
  ])
  // Long records are summarized; --json prints them in full.
  const { outOfFold, stability, ...rest } = training
  const settings = Object.entries(members.length > 1 ? rest : training).map(([name, value]) => [
    oneLine(name),
    oneLine(typeof value === 'object' ? JSON.stringify(value) : String(value)),
  ])
  for (const [name, text] of describeCrossFitRecord(training)) settings.push([name, oneLine(text)])
  const what = members.length > 1 ? `${members.length} models` : 'a model'
  await print(`${oneLine(file)}: ${what} of rank ${rank}, ${dims.join(' × ')}\n`)
  await print(formatTable([['mode', 'name', 'rows', 'never observed', 'labels'], ...rows]))
  if (reshaping) await print(`\n${oneLine(describeReshaping(reshaping, model))}`)
  await print(
    `\nHow it was trained\n${settings.map(([name, value]) => `${name.padEnd(14)}${value}`).join('\n')}`,
  )
  if (model.observed) await print(formatObserved(model.observed))
}

/** Formats the list of the arrays of a file. */
function formatVariables(variables: readonly VariableInfo[]): string {
  const rows = variables.map(({ name, shape, type, dimensions }) => [
    oneLine(name),
    shape.join(' × '),
    oneLine(type),
    oneLine(dimensions.some(Boolean) ? dimensions.map((dimension) => dimension ?? '?').join(' × ') : ''),
  ])
  return formatTable([['variable', 'size', 'type', 'dimensions'], ...rows])
}

/** Formats the description of a tensor: size, density, values, and the numbers of entries per row by mode. */
function formatDescription(file: string, description: TensorDescription): string {
  const { order, dims, entries, density, values, weights, modes } = description
  const head = formatTable(
    [
      ['File', oneLine(file)],
      ['Order', String(order)],
      ['Size', dims.join(' × ')],
      ['Entries', formatCount(entries)],
      ['Density', `${formatNumber(100 * density)} %`],
      [
        'Values',
        `${formatNumber(values.min)} … ${formatNumber(values.max)}, mean ${formatNumber(values.mean)}, rms ${formatNumber(values.rms)}`,
      ],
      ...(weights
        ? [
            [
              'Weights',
              `${formatNumber(weights.min)} … ${formatNumber(weights.max)}, mean ${formatNumber(weights.mean)}`,
            ],
          ]
        : []),
      ...(values.negative > 0 ? [['', `${formatCount(values.negative)} negative`]] : []),
    ].map(([name, value]) => [name.padEnd(9) + value]),
  )
  const rows = modes.map((m, i) => [
    String(i + 1),
    formatCount(m.rows),
    formatCount(m.empty),
    formatCount(m.min),
    formatCount(m.median),
    formatNumber(m.mean),
    formatCount(m.max),
  ])
  const hasNames = modes.some(({ name }) => name !== undefined)
  const names = modes.map(({ name = '', labels }, i) =>
    oneLine(
      `${i + 1}  ${name}${labels ? `  ${formatCount(labels.count)} labels: ${labels.first} … ${labels.last}` : '  the index itself'}`,
    ),
  )
  const nameLines = hasNames ? `\n\nModes\n${names.join('\n')}` : ''
  return `${head}${nameLines}\n\nEntries per row, by mode\n${formatTable([['mode', 'rows', 'empty', 'min', 'median', 'mean', 'max'], ...rows])}`
}

/** Formats a line with the number, range and mean of the training entries of a model. */
const formatObserved = ({ entries, min, max, mean }: Observed): string =>
  `entries       ${formatCount(entries)}, from ${formatNumber(min)} to ${formatNumber(max)}, mean ${formatNumber(mean)}`
