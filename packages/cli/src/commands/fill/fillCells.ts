/** `lacuna fill` of an array, or of a slice of a model. */
import { InputError } from 'lacuna'
import { fillSlice } from 'lacuna/answers'
import { encodeNpy } from 'lacuna/formats'
import {
  labelOf,
  modeName,
  type OutputColumn,
  type OutputRow,
  type TensorModel,
  writeAnswers,
  writeFileWhole,
} from 'lacuna/internal'
import { readKnownEntries } from '../../options/knownEntries.ts'
import { readWithProgress } from '../../options/readTensor.ts'
import { tableOptions } from '../../options/tableOptions.ts'
import { formatCount } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'
import { intervalsOf, reportWithoutInterval } from '../predict/predictions.ts'
import { answerOutput, type FillOptions } from './fillOptions.ts'
import { learnModel } from './learnToFill.ts'

/**
 * Fills the missing cells of an array (.npy or .npz), and writes all its cells to a .npy.
 * @param given the model to fill by; if undefined, one is learned from the array
 */
export async function fillArray(
  file: string,
  given: TensorModel | undefined,
  options: FillOptions,
  progress: Progress,
): Promise<void> {
  const { output } = options
  if (output === undefined || !output.endsWith('.npy'))
    throw new InputError(
      'option',
      `${file}: an array is filled into an array; name it by -o, as in filled.npy.`,
    )
  if (options.interval !== undefined) throw noRoomForIntervals(output)
  const tensor = await readWithProgress([file], { variable: options.variable }, progress)
  const model = given ?? (await learnModel(tensor, options, progress))
  const { dims, values, inferred } = fillSlice(
    model,
    model.dims.map(() => null),
    tensor,
    options,
  )
  await writeFileWhole(output, [encodeNpy({ shape: dims, data: values })])
  progress.say(
    `${output}: ${dims.join('×')}, ${formatCount(inferred.reduce((sum, is) => sum + is, 0))} cells are filled`,
  )
}

/**
 * Writes a slice of a model: the cells in which the modes of --slice have the given rows, as .npy or as a
 * table with a row per cell. Observed values of --data replace predictions.
 */
export async function fillSliceOfModel(
  model: TensorModel,
  options: FillOptions,
  progress: Progress,
): Promise<void> {
  const { slice = [], data, clip, output, missingOnly, interval } = options
  const fixed: (number | null)[] = model.dims.map(() => null)
  for (const { mode, text } of slice) {
    const m = model.lookup.mode(mode)
    if (text === undefined)
      throw new InputError(
        'option',
        `--slice ${mode}: say which row is meant, as in ${mode}=${labelOf(model, m, 0)}.`,
      )
    fixed[m] = model.lookup.row(m, text)
  }
  const observed =
    data === undefined ? undefined : await readKnownEntries(data, model, tableOptions(options), progress)
  if (missingOnly && !observed)
    throw new InputError('option', '--missing-only needs --data, to know what is not missing.')
  const filled = fillSlice(model, fixed, observed, { clip })
  const { free, dims, values, inferred } = filled
  const intervals = intervalsOf(model, interval)
  if (output?.endsWith('.npy')) {
    if (interval !== undefined) throw noRoomForIntervals(output)
    await writeFileWhole(output, [encodeNpy({ shape: dims, data: values })])
    progress.say(`${output}: ${dims.join('×') || 'one value'}`)
    return
  }
  const valueName = typeof model.training.value === 'string' ? model.training.value : 'value'
  const columns: OutputColumn[] = [
    ...model.dims.map(
      (_, mode): OutputColumn => ({
        name: modeName(model, mode),
        kind: 'text',
        type: model.modes?.[mode]?.type ?? 'BIGINT',
      }),
    ),
    { name: valueName, kind: 'number' },
    ...(intervals ? ['low', 'high'].map((name): OutputColumn => ({ name, kind: 'number' })) : []),
    { name: 'inferred', kind: 'text', type: 'BOOLEAN' },
  ]
  await writeAnswers(answerOutput(options), columns, rows())
  reportWithoutInterval(model, intervals, progress)
  if (output !== undefined && output !== '-') progress.say(`${output}: ${formatCount(values.length)} cells`)

  /** The ends of the interval of a cell; empty if its value was observed. */
  function endsAt(index: readonly number[], value: number, isInferred: boolean): OutputRow {
    if (!isInferred) return [null, null]
    const cell = index.map((row) => Float64Array.of(row))
    const asked = { rowCount: 1, indices: cell, observed: Float64Array.of(NaN) }
    const [low, high] = intervals!.ends(asked, Float64Array.of(value))
    return Number.isNaN(low[0]) ? [null, null] : [low[0], high[0]]
  }

  /** Rows of the table in batches: labels, value, ends of its interval, and whether it is inferred. */
  function* rows(): Generator<OutputRow[]> {
    const index = [...fixed].map((row) => row ?? 0)
    let batch: OutputRow[] = []
    for (let at = 0; at < values.length; at++) {
      let rest = at
      for (let f = free.length - 1; f >= 0; f--) {
        index[free[f]] = rest % dims[f]
        rest = Math.floor(rest / dims[f])
      }
      if (!missingOnly || inferred[at] === 1)
        batch.push([
          ...index.map((row, mode) => labelOf(model, mode, row)),
          values[at],
          ...(intervals ? endsAt(index, values[at], inferred[at] === 1) : []),
          inferred[at] === 1 ? 'true' : 'false',
        ])
      if (batch.length < 4096) continue
      yield batch
      batch = []
    }
    yield batch
  }
}

/** The error for --interval where an array is written. */
const noRoomForIntervals = (output: string): InputError =>
  new InputError(
    'option',
    `${output}: an array has one number for each cell, and no room for --interval; write a table instead.`,
  )
