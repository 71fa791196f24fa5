/** Predictions of cells, and rankings of rows. */
import type { CpModel, SparseTensor } from 'lacuna'
import type { CpEnsemble } from 'lacuna/folds'
import { factorModes, modeName, modesAsLearned, rowAt, valuesAlong } from 'lacuna/internal'
import type { Prediction, Ranked, RankFilter } from '../../answers.ts'
import { fractionFinder, mainComponents } from './contributions.ts'
import { intervalFinder } from './intervals.ts'
import type { RowNames } from './rowNames.ts'

/** The prediction of a cell, with its interval and its observed value if there are any. */
export function predictCell(
  model: CpModel | CpEnsemble,
  data: SparseTensor | undefined,
  coordinate: number[],
): Prediction {
  const observed = data && valuesAlong(data, coordinate, 0).get(coordinate[0])
  const { digits } = modesAsLearned(model)
  const predicted = model.predict(coordinate)
  return {
    predicted,
    interval: intervalFinder(model)?.(coordinate, predicted),
    observed,
    unobservedModes: factorModes(model).flatMap(({ name }, k) =>
      model.unobserved[k].includes(rowAt(digits[k], coordinate)) ? [name] : [],
    ),
    components: mainComponents(fractionFinder(model)(coordinate)),
  }
}

/** The mode that is ranked, the given rows, and filters. */
export interface RankQuestion {
  /** The ranked mode. */
  mode: number
  /** Per mode, the fixed row; undefined in the ranked mode, and where the mean over the mode is taken. */
  fixed: (number | undefined)[]
  most: number
  filter: RankFilter
}

/**
 * Returns the rows of a mode with the largest predictions, ranked before predictions are limited to the range
 * of the observed values: at that limit many rows would be equal.
 */
export function rankRows(
  model: CpModel | CpEnsemble,
  names: RowNames,
  data: SparseTensor | undefined,
  { mode, fixed, most, filter: { skipObserved, minEntries } }: RankQuestion,
): Ranked[] {
  const modeNames = model.dims.map((_, m) => modeName(model, m))
  const labels = fixed.flatMap((row, m) =>
    row === undefined || m === mode ? [] : [[modeNames[m], model.label(m, row)] as const],
  )
  const isCell = labels.length === model.dims.length - 1
  const along = fixed.map((row) => row ?? null)
  const observed = data ? valuesAlong(data, along, mode) : new Map<number, number>()
  const ranked = model.top({
    for: Object.fromEntries(labels),
    of: modeNames[mode],
    n: most,
    minEntries,
    exclude: skipObserved ? data : undefined,
    clip: false,
  })
  const intervalAt = isCell ? intervalFinder(model) : undefined
  const [low, high] = model.range ?? [-Infinity, Infinity]
  return ranked.map(({ row, predicted: score, entries, why }) => {
    const predicted = Math.min(high, Math.max(low, score))
    const cell = fixed.map((own, m) => (m === mode ? row : (own ?? 0)))
    return {
      label: names.text(mode, row),
      ...{ predicted, score, entries },
      interval: intervalAt?.(cell, predicted),
      components: why.map(({ component, share }) => ({ number: component, fraction: share })),
      observed: isCell ? observed.get(row) : undefined,
    }
  })
}
