/** Commands that make sense after a model was learned, with real names from the data, ready to be pasted. */
import type { SparseTensor } from 'lacuna'
import { CpEnsemble } from 'lacuna/folds'
import {
  cellsOfDims,
  isTableFile,
  kindByName,
  labelOf,
  modeKinds,
  modeName,
  type TensorModel,
  timeAxis,
} from 'lacuna/internal'
import { type FileOptions, tableOptions } from '../options/tableOptions.ts'
import { shellWord } from '../process/failure.ts'
import { invocation } from '../process/invocation.ts'

/** A saved model and the input that it was learned from. */
export interface Learned {
  model: TensorModel
  /** The training entries. */
  train: SparseTensor
  /** Path of the model. */
  output: string
  /** Paths of the input, as typed. */
  files: readonly string[]
  /** Options by which the input was read. */
  options: FileOptions & { missing?: string }
  /** Options that would give a better model, and why; none by default. */
  better?: { words: readonly string[]; what: string }
}

/** Number of commands that are proposed. */
const PROPOSED = 2
/** Fraction of the cells from which on a table counts as nearly full. */
const NEARLY_FULL = 0.5

/** A proposal: the words of a command after `lacuna`, and what it does; undefined where it makes no sense. */
type Proposal = { words: string[]; what: string } | undefined

/** The first of these that make sense are proposed. */
const proposals: readonly ((learned: Learned) => Proposal)[] = [
  proposeForecast,
  proposeFill,
  proposeTop,
  proposePredict,
  proposeComponents,
]

/** Formats the commands that make sense next, a line each with its purpose; empty if there are none. */
export function nextCommands(learned: Learned): string {
  const { better } = learned
  const found: { words: readonly string[]; what: string }[] = proposals
    .flatMap((propose) => propose(learned) ?? [])
    .slice(0, PROPOSED)
  if (better) found.unshift({ words: [...process.argv.slice(2), ...better.words], what: better.what })
  if (found.length === 0) return ''
  const lines = found.map(({ words, what }) => ({ command: commandLine(words), what }))
  const width = Math.max(...lines.map(({ command }) => command.length))
  return ['Next:', ...lines.map(({ command, what }) => `  ${command.padEnd(width)}  # ${what}`)].join('\n')
}

/** A command of this program as it is typed in a shell. @param words after the program's name */
export function commandLine(words: readonly string[]): string {
  const [node, script] = process.argv
  return [...invocation(node, script), ...words].map(shellWord).join(' ')
}

/** Rows of a mode of time from which on a forecast is proposed: fewer are too few for backtests. */
const FEWEST_TIMES = 20
/** Least fraction of the cells for a forecast: the times of single ratings have no series. */
const LEAST_DENSITY = 0.02
/** Steps ahead of a proposed forecast. */
const HORIZON = 7

/** Proposes to forecast the rows after the last one, where a mode is time. */
function proposeForecast({ model, files, options, train }: Learned): Proposal {
  const kinds = modeKinds(model)
  const time = kinds.findIndex(({ isTime }, mode) => isTime && model.dims[mode] >= FEWEST_TIMES)
  const density = train.values.length / cellsOfDims(train.dims)
  if (time < 0 || density < LEAST_DENSITY || kinds.length !== model.dims.length || options.missing === 'zero')
    return undefined
  const words = readingWords(train, options, files)
  // `--time` is needed only if `forecast` would guess another mode.
  const named = timeAxis(train)?.[0] === time ? [] : ['--time', modeName(model, time)]
  return {
    words: ['forecast', ...files, ...words, ...named, '--horizon', String(HORIZON)],
    what: `the next ${HORIZON} of ${modeName(model, time)}`,
  }
}

/**
 * The options by which files are read again as a tensor was: of tables its modes and value, and others as given; of
 * a file of several arrays the one that was taken, if it was named.
 */
export function readingWords(
  { modes, valueName }: SparseTensor,
  options: FileOptions,
  files: readonly string[],
): string[] {
  if (kindByName(files[0] ?? '') === 'arrays') return optionWords({ variable: options.variable })
  if (!modes) return []
  const { modes: typed, ...others } = tableOptions({ value: valueName, ...options })
  const taken = typed ?? (others.melt === undefined ? modes.map(({ name }) => name) : undefined)
  const all = others.recipe === undefined ? { modes: taken, ...others } : others
  return optionWords(all)
}

/** Options of tables as they are typed, without those that are undefined. */
const optionWords = (options: FileOptions): string[] =>
  Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, ...[value].flat().map(String)],
  )

/** Whether the text of a mode or value is SQL: a function that is called, or an operator between words. */
const isSql = (text: string): boolean => /\w\(|[^\s\w]\s*"|::|\|\|/.test(text)

/** Proposes to fill the gaps of a table that is nearly full, but not of a full one. */
function proposeFill({ output, files, options, train }: Learned): Proposal {
  const density = train.values.length / cellsOfDims(train.dims)
  const isPlain =
    options.query === undefined && options.database === undefined && options.recipe === undefined
  if (files.length !== 1 || !isTableFile(files[0]) || !isPlain) return undefined
  if (density < NEARLY_FULL || density >= 1) return undefined
  const { melt, modes = [], value, decimal, thousands } = options
  const isBinned = train.modes?.some(({ name, from }) => from?.binning !== undefined || isSql(name))
  if (melt === undefined && isBinned) return undefined
  // Where the value is computed, as in temp + 20, what is predicted is not what the column holds. Texts and names in
  // quotes may hold anything.
  const unquoted = value?.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '') ?? ''
  if (/\s[-+*/]\s|[-+*/]\s*\d/.test(unquoted)) return undefined
  const style = optionWords({ decimal, thousands })
  const computed = value !== undefined && isSql(value) ? ['--value', value] : []
  const shape = melt === undefined ? ['--absent', ...computed] : ['--modes', ...modes, '--melt', melt]
  return {
    words: ['fill', output, files[0], ...shape, ...style, '-o', 'filled.csv'],
    what: 'the gaps of the table',
  }
}

/** Proposes to rank the rows of a mode with labels for a row of another: films for a user. */
function proposeTop({ model, output, files, train }: Learned): Proposal {
  const named = namedModes(model)
  if (named.length < 2) return undefined
  const [asked, ranked] = named
  const row = mostObserved(model, asked)
  const known = new Set<number>()
  train.indices[ranked].forEach((index, e) => {
    if (train.indices[asked][e] === row) known.add(index)
  })
  // With nearly all rows observed, --exclude would leave nothing to rank.
  const isNew = known.size < 0.8 * model.dims[ranked]
  const isTable = isNew && files.length === 1 && isTableFile(files[0]) && train.labels !== undefined
  return {
    words: [
      ...['top', output, '--for', `${modeName(model, asked)}=${labelOf(model, asked, row)}`],
      ...['--of', modeName(model, ranked), ...(isTable ? ['--exclude', files[0]] : [])],
    ],
    what: `the best ${modeName(model, ranked)} for one ${modeName(model, asked)}`,
  }
}

/** Proposes to predict a cell that was not observed, with an interval if the model has one. */
function proposePredict({ model, output, train }: Learned): Proposal {
  const cell = unobservedCell(model, train)
  if (!cell) return undefined
  const labels = cell.map((row, mode) => `${modeName(model, mode)}=${labelOf(model, mode, row)}`)
  const interval = model instanceof CpEnsemble && model.intervals ? ['--interval', '0.9'] : []
  return { words: ['predict', output, '--at', ...labels, ...interval], what: 'a cell without an entry' }
}

/** Proposes to draw the components. */
function proposeComponents({ output }: Learned): Proposal {
  return {
    words: ['components', output, '--html', output.replace(/\.npz$/, '.html')],
    what: 'what was learned, as a page',
  }
}

/** The modes whose rows have no order, such as users and items; merged modes are left out. */
function namedModes(model: TensorModel): number[] {
  const kinds = modeKinds(model)
  if (kinds.length !== model.dims.length) return []
  return kinds.flatMap(({ kind }, mode) => (kind === 'named' && model.dims[mode] > 2 ? [mode] : []))
}

/** The row of a mode with the most training entries; the first of equal ones. */
function mostObserved({ observed }: TensorModel, mode: number): number {
  const counts = observed?.counts[mode] ?? new Uint32Array(1)
  let best = 0
  for (let row = 1; row < counts.length; row++) if (counts[row] > counts[best]) best = row
  return best
}

/** Cells that are tried in the search for one without an entry. */
const TRIED_CELLS = 1000

/** A cell without an entry whose rows all have some: the most observed rows, varied in turn; undefined if none is found. */
function unobservedCell(model: TensorModel, { dims, indices, values }: SparseTensor): number[] | undefined {
  const start = dims.map((_, mode) => mostObserved(model, mode))
  const mode = dims.indexOf(Math.max(...dims))
  const others = indices.filter((_, m) => m !== mode)
  const rest = start.filter((_, m) => m !== mode)
  const taken = new Set<number>()
  for (let e = 0; e < values.length; e++)
    if (others.every((column, m) => column[e] === rest[m])) taken.add(indices[mode][e])
  const counts = model.observed?.counts[mode]
  for (let row = 0; row < Math.min(dims[mode], TRIED_CELLS); row++)
    if (!taken.has(row) && (counts?.[row] ?? 0) > 0) return start.map((own, m) => (m === mode ? row : own))
}
