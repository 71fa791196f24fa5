/**
 * The top rows of a mode for every row of another one. Kernels find a few more rows than are asked for, in
 * float32 on all threads; float64 orders these, so that a ranking is the same as that of `top` for the row
 * alone.
 */

import { InputError, option, sentence } from '../../base/inputError.ts'
import { TopEngine } from '../../engine/cpu/index.ts'
import type { SparseTensor } from '../../tensor/index.ts'
import { clipToRange, type Predictor } from '../factored.ts'
import { requireUnmerged } from '../factorView.ts'
import { LabelLookup, type Labels } from '../labelLookup.ts'
import { candidates } from '../predict/candidates.ts'
import { productExcept } from '../predict/predictAlong.ts'
import { dotRow } from '../predict/products.ts'
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
  /** Their predictions (count × n). */
  predicted: Float64Array
  /** Rows in each ranking (count). */
  found: Uint32Array
}

const QUESTIONS_AT_A_TIME = 8192
/** Rows beyond those asked for that are also ranked in float64. */
const SPARE = 8

/** Ranks the rows of a mode for every row of another one, batch by batch, on all threads. */
export async function* topForAll(given: Predictor, options: TopForAllOptions): AsyncGenerator<TopBatch> {
  const model = requireUnmerged(given)
  const { n = 10, minEntries, clip = true, exclude, threads } = options
  if (!Number.isInteger(n) || n < 1)
    throw new InputError('option', sentence`${option('n')} is ${n}; it must be a whole number from 1.`)
  const lookup = new LabelLookup(model)
  const asked = lookup.mode(options.for)
  const of = lookup.mode(options.of)
  if (asked === of)
    throw new InputError(
      'option',
      `${options.of} cannot be both what is ranked and what it is ranked for; name another mode.`,
    )
  const fixed = fixedRows(model, lookup, of, options.fixed ?? {})
  if (fixed[asked] !== null)
    throw new InputError('option', `${options.for} is asked for as a whole; give no label for it.`)
  const isCandidate = candidates(model.counts[of], () => model.unobserved[of], minEntries)
  const rows = Uint32Array.from(new Uint32Array(model.dims[of]).keys()).filter(isCandidate)
  if (rows.length === 0)
    throw new InputError('empty', `No row of ${options.of} has so many entries; ask for fewer.`)
  const weights = model.members.map((member) =>
    productExcept(member, fixed, [of, asked], model.observed?.counts),
  )
  const length = model.members.reduce((sum, { rank }) => sum + rank, 0)
  const most = Math.min(rows.length, n + SPARE)
  const leftOut = exclude ? excludedBy(exclude, asked, of, fixed, rows, model.dims) : undefined
  const size = model.dims[asked]
  const atATime = Math.min(size, QUESTIONS_AT_A_TIME)
  const engine = await TopEngine.open({
    rows: concatenated(model, of, rows),
    length,
    most,
    questionsAtATime: atATime,
    excludedAtATime: leftOut ? mostExcluded(leftOut.starts, atATime) : 0,
    ...(threads && { threads }),
  })
  try {
    for (let first = 0; first < size; first += atATime) {
      const count = Math.min(atATime, size - first)
      const questions = questionsOf(model, asked, weights, first, count)
      const answers = await engine.ask({
        count,
        write: (into) => into.set(questions),
        ...(leftOut && {
          excluded: (question) =>
            leftOut.rows.subarray(leftOut.starts[first + question], leftOut.starts[first + question + 1]),
        }),
      })
      yield inOrder(first, count, answers.best, answers.scores)
    }
  } finally {
    await engine.close()
  }

  function inOrder(first: number, count: number, best: Uint32Array, scores: Float32Array): TopBatch {
    const batch: TopBatch = {
      ...{ first, count, n },
      rows: new Uint32Array(count * n),
      predicted: new Float64Array(count * n),
      found: new Uint32Array(count),
    }
    for (let question = 0; question < count; question++) {
      const own = model.members.map(({ rank, factors }, k) =>
        weights[k].map((w, r) => w * factors[asked][(first + question) * rank + r]),
      )
      const ranked: { row: number; y: number }[] = []
      for (let i = question * most; i < (question + 1) * most && scores[i] >= 0; i++) {
        const row = rows[best[i]]
        let y = 0
        model.members.forEach(({ rank, factors }, k) => {
          y += dotRow(own[k], factors[of], row * rank) / model.members.length
        })
        ranked.push({ row, y })
      }
      ranked.sort((a, b) => b.y - a.y || a.row - b.row)
      const kept = ranked.slice(0, n)
      batch.found[question] = kept.length
      kept.forEach(({ row, y }, i) => {
        batch.rows[question * n + i] = row
        batch.predicted[question * n + i] = clip ? clipToRange(model, y) : y
      })
    }
    return batch
  }
}

/** The members' rows side by side, scaled near 1 so that float32 neither overflows nor underflows. */
function concatenated({ members }: Predictor, mode: number, rows: Uint32Array): Float32Array {
  const length = members.reduce((sum, { rank }) => sum + rank, 0)
  const all = new Float32Array(rows.length * length)
  let offset = 0
  for (const { rank, factors } of members) {
    rows.forEach((row, i) => {
      for (let r = 0; r < rank; r++) all[i * length + offset + r] = factors[mode][row * rank + r]
    })
    offset += rank
  }
  return nearOne(all)
}

function questionsOf(
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
    let at = 0
    members.forEach(({ rank, factors }, k) => {
      for (let r = 0; r < rank; r++) question[at++] = weights[k][r] * factors[mode][(first + q) * rank + r]
    })
    questions.set(nearOne(question), q * length)
  }
  return questions
}

/** Scales numbers by a power of two, which does not change their order. */
function nearOne<A extends Float32Array | Float64Array>(numbers: A): A {
  let largest = 0
  for (let i = 0; i < numbers.length; i++) if (numbers[i] > largest) largest = numbers[i]
  if (!(largest > 0 && largest < Infinity)) return numbers
  const scale = 2 ** -Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest))))
  for (let i = 0; i < numbers.length; i++) numbers[i] *= scale
  return numbers
}

/**
 * For every row of mode `asked`, the positions of excluded rows among the candidates, ascending, as a
 * compressed list.
 */
function excludedBy(
  { indices, values }: SparseTensor,
  asked: number,
  of: number,
  fixed: readonly (number | null)[],
  candidates: Uint32Array,
  dims: readonly number[],
): { starts: Uint32Array; rows: Uint32Array } {
  const placeOf = new Int32Array(dims[of]).fill(-1)
  candidates.forEach((row, place) => {
    placeOf[row] = place
  })
  const meant = fixed.flatMap((row, mode) => (row === null ? [] : [{ column: indices[mode], row }]))
  const lists = new Map<number, number[]>()
  for (let e = 0; e < values.length; e++) {
    const place = placeOf[indices[of][e]]
    if (place < 0 || !meant.every(({ column, row }) => column[e] === row)) continue
    const list = lists.get(indices[asked][e])
    if (list) list.push(place)
    else lists.set(indices[asked][e], [place])
  }
  const starts = new Uint32Array(dims[asked] + 1)
  let total = 0
  for (let row = 0; row < dims[asked]; row++) {
    starts[row] = total
    total += lists.get(row)?.length ?? 0
  }
  starts[dims[asked]] = total
  const rows = new Uint32Array(total)
  for (const [row, list] of lists)
    rows.set(
      list.sort((a, b) => a - b),
      starts[row],
    )
  return { starts, rows }
}

function mostExcluded(starts: Uint32Array, atATime: number): number {
  let most = 0
  for (let first = 0; first < starts.length - 1; first += atATime)
    most = Math.max(most, starts[Math.min(starts.length - 1, first + atATime)] - starts[first])
  return most
}
