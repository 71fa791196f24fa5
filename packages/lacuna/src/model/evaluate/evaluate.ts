/** Evaluation of a model on held-out entries: errors beside baselines, by row, and calibration. */
import { type Observed, type SparseTensor, sortInCOrder } from '../../tensor/index.ts'
import { clipToRange, modeName, type Predictor } from '../factored.ts'
import { forEachPrediction } from '../predict/products.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { type ModeErrors, modeErrors } from './modeErrors.ts'

/** Errors of a model on held-out entries. */
export interface Evaluation extends Quality {
  /**
   * Errors of predictions without a model: the mean of all values, of each row's, and all of these added up.
   */
  baselines: (Quality & { name: string })[]
  /** Errors by the rows of each mode. */
  modes: ModeErrors[]
  /** Entries in ten groups by prediction; predictions are calibrated where both means of a group agree. */
  calibration: { entries: number; predicted: number; observed: number }[]
}

/** Errors and the coefficient of determination. */
export interface Quality extends ErrorSummary {
  /**
   * R² = 1 − Σ (x − y)² / Σ (x − mean of x)², the fraction of the entries' variance that is predicted;
   * undefined if all values are equal.
   */
  r2: number | undefined
}

/** Options of `evaluate`. */
export interface EvaluateOptions {
  /** Whether predictions are limited to the range of the training values; true by default. */
  clip?: boolean
  /** Rows of each mode that are listed as those that contribute most to the error; 3 by default. */
  worst?: number
}

/**
 * Evaluates a model on held-out entries: errors beside those of baselines, by row, and calibration. The
 * result does not depend on the order of the entries.
 * @param test entries that the model was not trained on
 */
export function evaluate(
  model: Predictor,
  test: SparseTensor,
  { clip = true, worst = 3 }: EvaluateOptions = {},
): Evaluation {
  const entries = sortInCOrder(test)
  const { indices, values } = entries
  const predictions = new Float64Array(values.length)
  forEachPrediction(model, indices, (e, y) => {
    predictions[e] = clip ? clipToRange(model, y) : y
  })
  const variance = varianceOfValues(values)
  return {
    ...qualityOf(values, (e) => predictions[e], variance),
    baselines: model.observed
      ? meanBaselines(model, model.observed).map(({ name, predict }) => ({
          name,
          ...qualityOf(values, (e) => clipToRange(model, predict(indices, e)), variance),
        }))
      : [],
    modes: model.dims.map((_, mode) => modeErrors(model, entries, predictions, mode, worst)),
    calibration: calibrationOf(values, predictions),
  }
}

/**
 * Errors and R² of predictions.
 * @param variance of the values; 0 if all are equal, so that R² is undefined
 */
function qualityOf(values: Float32Array, predict: (entry: number) => number, variance: number): Quality {
  const tally = new ErrorTally()
  for (let e = 0; e < values.length; e++) tally.add(values[e], predict(e))
  const { rmse, ...rest } = tally.summary
  return { rmse, ...rest, r2: variance > 0 ? 1 - rmse ** 2 / variance : undefined }
}

/** The variance of the values: the mean of their squared distances from their mean; exactly 0 if all are equal. */
function varianceOfValues(values: Float32Array): number {
  if (values.every((x) => x === values[0])) return 0
  let mean = 0
  for (const x of values) mean += x / values.length
  let squares = 0
  for (const x of values) squares += (x - mean) ** 2 / values.length
  return squares
}

/** A prediction from the statistics of the training entries. */
interface MeanBaseline {
  name: string
  /** Predicts an entry from its indices. */
  predict(indices: readonly Uint32Array[], entry: number): number
}

/**
 * Predictions by the mean of all training values, by the mean of each row, and by the sum of all deviations
 * of rows from the mean. A row without entries has the mean of all.
 */
function meanBaselines(model: Predictor, { mean, means, counts }: Observed): MeanBaseline[] {
  const meanOfRow = (mode: number, row: number): number => (counts[mode][row] > 0 ? means[mode][row] : mean)
  return [
    { name: 'the mean', predict: () => mean },
    ...model.dims.map((_, mode) => ({
      name: `the mean of each ${modeName(model, mode)}`,
      predict: (indices: readonly Uint32Array[], e: number) => meanOfRow(mode, indices[mode][e]),
    })),
    {
      name: 'biases of all modes, by the means of rows',
      predict: (indices, e) =>
        indices.reduce((sum, column, mode) => sum + meanOfRow(mode, column[e]) - mean, mean),
    },
  ]
}

/** Groups of entries in which calibration is measured. */
const CALIBRATION_GROUPS = 10

/**
 * Mean prediction and mean value in groups of about equally many entries, in ascending order of predictions;
 * empty groups are left out.
 */
function calibrationOf(values: Float32Array, predictions: Float64Array): Evaluation['calibration'] {
  const order = Uint32Array.from(values.keys()).sort((a, b) => predictions[a] - predictions[b] || a - b)
  const groups: Evaluation['calibration'] = []
  for (let group = 0; group < CALIBRATION_GROUPS; group++) {
    const members = order.subarray(
      Math.floor((group * order.length) / CALIBRATION_GROUPS),
      Math.floor(((group + 1) * order.length) / CALIBRATION_GROUPS),
    )
    if (members.length === 0) continue
    let [predicted, observed] = [0, 0]
    for (const e of members) {
      predicted += predictions[e] / members.length
      observed += values[e] / members.length
    }
    groups.push({ entries: members.length, predicted, observed })
  }
  return groups
}
