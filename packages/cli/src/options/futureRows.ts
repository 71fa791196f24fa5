/** Rows of time in the future: those that --extend declares, and those of a table whose rows have no value. */
import { InputError, type SparseTensor } from 'lacuna'
import {
  addLabels,
  extendTo,
  isTableFile,
  labelOf,
  launchedProcesses,
  modeName,
  modeNumber,
  option,
  type Remark,
} from 'lacuna/internal'
import { readTable, type TableOptions } from 'lacuna/tables'
import { formatCounted } from '../print/format.ts'
import { oneLine } from '../print/printable.ts'
import type { Progress } from '../print/terminal.ts'
import { reportRemark } from './readTensor.ts'
import type { Assignment } from './rowNames.ts'
import { tableOptions } from './tableOptions.ts'

/** Types of labels that are dates and times. */
const TIMES = ['DATE', 'TIMESTAMP', 'TIMESTAMPTZ']
/** Binnings of times whose labels go on after the last one. */
const ENDLESS = ['year', 'month', 'week', 'weeks', 'day']

/** A callback for notices that also records whether rows were left out because a mode or the value is empty. */
export interface GapNote {
  /** Prints a notice. */
  onRemark(remark: Remark): void
  /** Whether such rows were left out. */
  hasGaps(): boolean
}

/** Makes a callback that prints notices, and records whether they report rows with an empty mode or value. */
export function noteGaps(progress: Progress): GapNote {
  const report = reportRemark(progress)
  let found = false
  return {
    onRemark(remark) {
      found ||= remark.isAboutGaps ?? false
      report(remark)
    },
    hasGaps: () => found,
  }
}

/**
 * Adds the rows of the modes of time whose rows of the table have no value and come after all that have one. The
 * table is read again for its labels; from stdin, and by several processes, it is not.
 * @param files as they were read
 */
export async function keepFutureRows(
  tensor: SparseTensor,
  files: readonly string[],
  options: TableOptions,
  progress: Progress,
): Promise<SparseTensor> {
  const isTime = tensor.dims.map((_, mode) => isEndlessTime(tensor, mode))
  if (!isTime.includes(true) || launchedProcesses() > 1 || !files.every(isTableFile)) return tensor
  const { value, weight, merge, ...rest } = tableOptions(options)
  const { labels } = await readTable(files, { ...rest, merge: 'count', like: tensor, newLabels: true })
  let extended = tensor
  isTime.forEach((is, mode) => {
    const own = tensor.labels?.[mode]
    const all = labels?.[mode]
    if (!is || !own || !all) return
    const future = all.slice(all.indexOf(own[own.length - 1]) + 1)
    if (future.length === 0) return
    extended = addLabels(extended, mode, future)
    const name = modeName(tensor, mode)
    progress.insist(
      oneLine(
        `${files.join(' ')}: ${formatCounted(future.length, 'row')} of ${name} without a value after ${own[own.length - 1]} ${future.length === 1 ? 'is a future row, which is' : 'are future rows, which are'} predicted.`,
      ),
    )
  })
  return extended
}

/** Whether the labels of a mode are times that go on after the last one. */
function isEndlessTime({ modes, labels }: SparseTensor, mode: number): boolean {
  const about = modes?.[mode]
  if (!about || !labels?.[mode]) return false
  const binning = about.from?.binning
  return binning === undefined ? TIMES.includes(about.type ?? '') : ENDLESS.includes(binning)
}

/** Adds the rows that --extend declares, as in date=2024-05-07. */
export function extendRows(
  tensor: SparseTensor,
  given: readonly Assignment[],
  progress: Progress,
): SparseTensor {
  if (given.length > 0 && launchedProcesses() > 1)
    throw new InputError('option', '--extend works on one process; leave it out, or run without mpirun.')
  return given.reduce((extended, { mode: name, text }) => {
    const mode = modeNumber(extended, name, option('extend'))
    if (text === undefined)
      throw new InputError(
        'option',
        `--extend ${name}: say up to which row, as in ${name}=${labelOf(extended, mode, extended.dims[mode] - 1)}.`,
      )
    const result = extendTo(extended, mode, text)
    const [first, last] = [extended.dims[mode], result.dims[mode] - 1]
    progress.say(
      `${formatCounted(last - first + 1, 'row')} of ${modeName(extended, mode)} without entries: ${labelOf(result, mode, first)} … ${labelOf(result, mode, last)}`,
    )
    return result
  }, tensor)
}
