/**
 * The top rows of a mode for every row of another one. Kernels find a few more rows than are asked for, in
 * float32 on all threads; float64 orders these, so that a ranking is the same as that of `top` for the row
 * alone.
 */

import { InputError, option, sentence } from '../../base/inputError.ts'
import { TopEngine } from '../../engine/cpu/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { clipToRange, type Predictor } from '../factored.ts'
import { type FactorView, requireUnmerged, viewOfPredictions } from '../factorView.ts'
import { LabelLookup, type Labels } from '../labelLookup.ts'
import { candidateFilter } from '../predict/candidates.ts'
import { meanInDataUnits } from '../predict/link.ts'
import { predictAlong, productExcept } from '../predict/predictAlong.ts'
import { dotRow } from '../predict/products.ts'
import { largest } from './largest.ts'
import { fixedRows } from './top.ts'

/** Options of `topForAll`. */
export interface TopForAllOptions {
  /** Mode for each of whose rows a ranking is made. */
  for: string
  /** Mode whose rows are ranked. */
  of: string
  /**
   * Labels of fixed rows, by the names of further modes; by default these are averaged, weighted by their
   * rows' entries.
   */
  fixed?: Labels
  /** Length of a ranking; 10 by default. */
  n?: number
  /** Entries whose ranked row is left out for the row that they are of; none by default. */
  exclude?: SparseTensor
  /** Least number of training entries of a ranked row; 1 by default. */
  minEntries?: number
  /** Whether predictions are limited to the range of the training values; true by default. */
  clip?: boolean
  /** Worker threads, which do not change the result; all cores by default. */
  threads?: number
}

/** Rankings for consecutive rows. */
export interface TopBatch {
  /** First row of the batch, from 0. */
  first: number
  /** Number of rows in the batch. */
  count: number
  /** Most rows in a ranking. */
  n: number
  /** Ranked rows (count × n), the best first. */
  rows: Uint32Array
  /** Predictions of the ranked rows (count × n). */
  predicted: Float64Array
  /** Number of rows in each ranking (count), at most n. */
  found: Uint32Array
}

/** Most rows of the asked mode in a batch; a question is such a row. */
const QUESTIONS_AT_A_TIME = 8192
/**
 * Rows beyond n that the kernels return for each question: float64 may order them differently than float32.
 */
const SPARE = 8

/**
 * Ranks the rows of a mode for every row of another one, batch by batch, on all threads. Throws if modes were
 * merged, a mode or label is unknown, or no row has enough entries.
 */
export async function* topForAll(given: Predictor, options: TopForAllOptions): AsyncGenerator<TopBatch> {
  const model = given.weights ? viewOfPredictions(given) : requireUnmerged(given)
  const { members, weights } = model
  const { n = 10, clip = true, exclude, threads } = options
  if (!Number.isInteger(n) || n < 1)
    throw new InputError('option', sentence`${option('n')} is ${n}; it must be a whole number from 1.`)
  const { askedMode, rankedMode, fixed, rows } = resolveQuestion(model, options)
  const length = model.members.reduce((sum, { rank }) => sum + rank, 0)
  const rowsPerRanking = Math.min(rows.length, n + SPARE)
  const excluded = exclude
    ? excludedPositions(exclude, askedMode, rankedMode, fixed, rows, model.dims)
    : undefined
  const size = model.dims[askedMode]
  const batchSize = Math.min(size, QUESTIONS_AT_A_TIME)
  if (weights || !isRankedByProducts(model, fixed, [askedMode, rankedMode])) {
    for (let first = 0; first < size; first += batchSize)
      yield rankAllRows(first, Math.min(batchSize, size - first))
    return
  }
  const products = members.map((member) =>
    productExcept(member, fixed, [rankedMode, askedMode], model.observed?.counts),
  )
  const engine = await TopEngine.open({
    rows: concatenateRows(model, rankedMode, rows),
    length,
    most: rowsPerRanking,
    questionsAtATime: batchSize,
    excludedAtATime: excluded ? mostExcludedPerBatch(excluded.starts, batchSize) : 0,
    ...(threads && { threads }),
  })
  try {
    for (let first = 0; first < size; first += batchSize) {
      const count = Math.min(batchSize, size - first)
      const questions = questionVectors(model, askedMode, products, first, count)
      const answers = await engine.ask({
        count,
        write: (into) => into.set(questions),
        excluded:
          excluded &&
          ((question) =>
            excluded.rows.subarray(excluded.starts[first + question], excluded.starts[first + question + 1])),
      })
      yield rankInFloat64(first, count, answers.best, answers.scores)
    }
  } finally {
    await engine.close()
  }

  /**
   * Ranks the candidates that the kernels found for a batch by their predictions in float64.
   * @param best positions among the candidates (count × rowsPerRanking)
   * @param scores their float32 scores; negative where there are no more candidates
   */
  function rankInFloat64(first: number, count: number, best: Uint32Array, scores: Float32Array): TopBatch {
    const batch = emptyBatch(first, count, n)
    for (let question = 0; question < count; question++) {
      const questionProducts = members.map(({ rank, factors }, k) =>
        products[k].map((w, r) => w * factors[askedMode][(first + question) * rank + r]),
      )
      const ranked: RankedRow[] = []
      for (let i = question * rowsPerRanking; i < (question + 1) * rowsPerRanking && scores[i] >= 0; i++) {
        const row = rows[best[i]]
        let y = 0
        model.members.forEach(({ rank, factors, link }, k) => {
          const z = dotRow(questionProducts[k], factors[rankedMode], row * rank)
          y += (link ? meanInDataUnits(link, z) : z) / model.members.length
        })
        ranked.push({ row, y })
      }
      ranked.sort((a, b) => b.y - a.y || a.row - b.row)
      writeRanking(batch, question, ranked.slice(0, n))
    }
    return batch
  }

  /** Ranks all candidates for a batch of questions by their predictions in float64, on this thread. */
  function rankAllRows(first: number, count: number): TopBatch {
    const batch = emptyBatch(first, count, n)
    const scores = new Float64Array(rows.length)
    const asked = [...fixed]
    for (let question = 0; question < count; question++) {
      asked[askedMode] = first + question
      scores.fill(0)
      for (const [k, member] of members.entries()) {
        const { score } = predictAlong(member, asked, rankedMode, model.observed?.counts)
        rows.forEach((row, i) => {
          scores[i] += weights ? weights[k] * score(row) : score(row) / members.length
        })
      }
      const left = new Set(
        excluded?.rows.subarray(excluded.starts[first + question], excluded.starts[first + question + 1]),
      )
      const best = largest(scores, n, (i) => !left.has(i))
      writeRanking(
        batch,
        question,
        best.map((i) => ({ row: rows[i], y: scores[i] })),
      )
    }
    return batch
  }

  /** Writes the ranking of a question to a batch, clipped if that is wanted. */
  function writeRanking(batch: TopBatch, question: number, ranking: readonly RankedRow[]): void {
    batch.found[question] = ranking.length
    ranking.forEach(({ row, y }, i) => {
      batch.rows[question * n + i] = row
      batch.predicted[question * n + i] = clip ? clipToRange(model, y) : y
    })
  }
}

/**
 * Resolves modes and labels of the options to numbers. Throws if a mode or label is unknown, or no row has enough
 * entries.
 * @returns both modes, per mode its fixed row or null, and the candidates: the rows that can be ranked
 */
function resolveQuestion(model: FactorView, options: TopForAllOptions) {
  const lookup = new LabelLookup(model)
  const askedMode = lookup.mode(options.for)
  const rankedMode = lookup.mode(options.of)
  if (askedMode === rankedMode)
    throw new InputError(
      'option',
      `${options.of} cannot be both what is ranked and what it is ranked for; name another mode.`,
    )
  const fixed = fixedRows(model, lookup, rankedMode, options.fixed ?? {})
  if (fixed[askedMode] !== null)
    throw new InputError('option', `${options.for} is asked for as a whole; give no label for it.`)
  const isCandidate = candidateFilter(
    model.counts[rankedMode],
    () => model.unobserved[rankedMode],
    options.minEntries,
  )
  const rows = Uint32Array.from(new Uint32Array(model.dims[rankedMode]).keys()).filter(isCandidate)
  if (rows.length === 0)
    throw new InputError('empty', `No row of ${options.of} has so many entries; ask for fewer.`)
  return { askedMode, rankedMode, fixed, rows }
}

/** A row and its prediction. */
interface RankedRow {
  row: number
  y: number
}

/** A batch without rankings yet. */
const emptyBatch = (first: number, count: number, n: number): TopBatch => ({
  ...{ first, count, n },
  rows: new Uint32Array(count * n),
  predicted: new Float64Array(count * n),
  found: new Uint32Array(count),
})

/**
 * Whether the products of factors, which the kernels rank by, order rows as predictions do: without a link, or
 * with the link of a single model where no mode is averaged, as a prediction grows with the product.
 * @param free the modes that are neither fixed nor averaged
 */
const isRankedByProducts = (
  { members }: Predictor,
  fixed: readonly (number | null)[],
  free: readonly number[],
): boolean =>
  members.every(({ link }) => !link) ||
  (members.length === 1 && fixed.every((row, mode) => row !== null || free.includes(mode)))

/**
 * The factor rows of all members side by side (rows × sum of ranks), scaled near 1 so that float32 neither
 * overflows nor underflows.
 * @param rows the rows of the mode to copy
 */
function concatenateRows({ members }: Predictor, mode: number, rows: Uint32Array): Float32Array {
  const length = members.reduce((sum, { rank }) => sum + rank, 0)
  const all = new Float32Array(rows.length * length)
  let offset = 0
  for (const { rank, factors } of members) {
    rows.forEach((row, i) => {
      for (let r = 0; r < rank; r++) all[i * length + offset + r] = factors[mode][row * rank + r]
    })
    offset += rank
  }
  return scaleNearOne(all)
}

/**
 * The vectors (count × sum of ranks) whose dot products with the concatenated rows are ranked: rows of the
 * asked mode times the members' weights, each scaled near 1.
 * @param weights per member, the product (R) of the fixed and mean rows of all other modes
 * @param first first row of the asked mode
 */
function questionVectors(
  { members }: Predictor,
  mode: number,
  weights: readonly Float64Array[],
  first: number,
  count: number,
): Float32Array {
  const length = members.reduce((sum, { rank }) => sum + rank, 0)
  const questions = new Float32Array(count * length)
  const question = new Float64Array(length)
  for (let q = 0; q < count; q++) {
    let next = 0
    members.forEach(({ rank, factors }, k) => {
      for (let r = 0; r < rank; r++) question[next++] = weights[k][r] * factors[mode][(first + q) * rank + r]
    })
    questions.set(scaleNearOne(question), q * length)
  }
  return questions
}

/**
 * Scales numbers in place by a power of two that makes the largest lie between 1 and 2, and returns them;
 * their order does not change. Does nothing if the largest is 0 or not finite.
 */
function scaleNearOne<A extends Float32Array | Float64Array>(numbers: A): A {
  let largest = 0
  for (let i = 0; i < numbers.length; i++) if (numbers[i] > largest) largest = numbers[i]
  if (!(largest > 0 && largest < Infinity)) return numbers
  const scale = 2 ** -Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest))))
  for (let i = 0; i < numbers.length; i++) numbers[i] *= scale
  return numbers
}

/**
 * For every row of the asked mode, the positions of its excluded rows among the candidates, ascending, as a
 * compressed list: those of row i are rows[starts[i]] to rows[starts[i + 1] − 1].
 * @param fixed per mode, the row that an entry must have to exclude, or null for any
 */
function excludedPositions(
  { indices, values }: SparseTensor,
  askedMode: number,
  rankedMode: number,
  fixed: readonly (number | null)[],
  candidates: Uint32Array,
  dims: readonly number[],
): { starts: Uint32Array; rows: Uint32Array } {
  const positionOf = new Int32Array(dims[rankedMode]).fill(-1)
  candidates.forEach((row, position) => {
    positionOf[row] = position
  })
  const conditions = fixed.flatMap((row, mode) => (row === null ? [] : [{ column: indices[mode], row }]))
  const lists = new Map<number, number[]>()
  for (let e = 0; e < values.length; e++) {
    const position = positionOf[indices[rankedMode][e]]
    if (position < 0 || !conditions.every(({ column, row }) => column[e] === row)) continue
    const list = lists.get(indices[askedMode][e])
    if (list) list.push(position)
    else lists.set(indices[askedMode][e], [position])
  }
  const starts = new Uint32Array(dims[askedMode] + 1)
  let total = 0
  for (let row = 0; row < dims[askedMode]; row++) {
    starts[row] = total
    total += lists.get(row)?.length ?? 0
  }
  starts[dims[askedMode]] = total
  const rows = new Uint32Array(total)
  for (const [row, list] of lists)
    rows.set(
      list.sort((a, b) => a - b),
      starts[row],
    )
  return { starts, rows }
}

/**
 * The largest number of excluded rows in a batch.
 * @param starts per question, where its excluded rows begin
 */
function mostExcludedPerBatch(starts: Uint32Array, batchSize: number): number {
  let most = 0
  for (let first = 0; first < starts.length - 1; first += batchSize)
    most = Math.max(most, starts[Math.min(starts.length - 1, first + batchSize)] - starts[first])
  return most
}
