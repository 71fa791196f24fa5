/** How well the best rows along a mode foretell held-out entries, beside what is popular. */
import type { SparseTensor } from '../../tensor/index.ts'
import { largest } from '../answer/largest.ts'
import { topForAll } from '../answer/topForAll.ts'
import type { Predictor } from '../factored.ts'
import { LabelLookup } from '../labelLookup.ts'

/** What is ranked, for whom, and what is to be found. */
export interface RankingOptions {
  /** The mode whose rows are asked for, each: users, say. */
  for: string
  /** The mode whose rows are ranked: films. */
  of: string
  /** How many of the best count; 10 by default. */
  n?: number
  /** Held-out entries below this value are none to be found; by default all are. */
  relevant?: number
  /** Entries that were learned from: their rows are no answers. */
  exclude?: SparseTensor
  /** Rows of fewer entries are no answers; those of none by default. */
  minEntries?: number
  threads?: number
}

/** Means over the rows that have something to be found. */
export interface RankingQuality {
  /** Of what was to be found, or of n where that is more, the share among the best n. */
  recall: number
  /** The same weighed by place: 1 where all are found, and first. */
  ndcg: number
}

/** How well a model ranks, and how well what is popular does. */
export interface RankingEvaluation {
  n: number
  /** Rows that have held-out entries. */
  rows: number
  model: RankingQuality
  /** Of the rows with most entries, the same for everyone but for what is excluded. */
  popularity?: RankingQuality
}

/** Recall and nDCG of the best rows along a mode for every row of another that has held-out entries. */
export async function evaluateRanking(
  model: Predictor,
  test: SparseTensor,
  options: RankingOptions,
): Promise<RankingEvaluation> {
  const { n = 10, relevant = -Infinity, exclude, minEntries } = options
  const lookup = new LabelLookup(model)
  const asked = lookup.mode(options.for)
  const of = lookup.mode(options.of)
  const wanted = byRow(test, asked, of, (e) => test.values[e] >= relevant)
  const known = exclude ? byRow(exclude, asked, of, () => true) : new Map<number, Set<number>>()
  const own = new Means()
  const popular = new Means()
  const counts = model.observed?.counts[of]
  for await (const { first, count, rows, found } of topForAll(model, { ...options, n }))
    for (let q = 0; q < count; q++) {
      const sought = wanted.get(first + q)
      if (!sought) continue
      own.add(rows.subarray(q * n, q * n + found[q]), sought, n)
      const seen = known.get(first + q)
      if (counts)
        popular.add(
          largest(counts, n, (row) => counts[row] >= (minEntries ?? 1) && !seen?.has(row)),
          sought,
          n,
        )
    }
  return { n, rows: own.count, model: own.quality, ...(counts && { popularity: popular.quality }) }
}

function byRow(
  { indices, values }: SparseTensor,
  mode: number,
  of: number,
  isMeant: (entry: number) => boolean,
): Map<number, Set<number>> {
  const rows = new Map<number, Set<number>>()
  for (let e = 0; e < values.length; e++) {
    if (!isMeant(e)) continue
    const found = rows.get(indices[mode][e])
    if (found) found.add(indices[of][e])
    else rows.set(indices[mode][e], new Set([indices[of][e]]))
  }
  return rows
}

class Means {
  count = 0
  #recall = 0
  #ndcg = 0

  add(answers: ArrayLike<number>, sought: ReadonlySet<number>, n: number): void {
    let [hits, gain, ideal] = [0, 0, 0]
    for (let place = 0; place < n; place++) {
      const weight = 1 / Math.log2(place + 2)
      if (place < sought.size) ideal += weight
      if (place >= answers.length || !sought.has(answers[place])) continue
      hits++
      gain += weight
    }
    this.count++
    this.#recall += hits / Math.min(n, sought.size)
    this.#ndcg += gain / ideal
  }

  get quality(): RankingQuality {
    const mean = (sum: number): number => (this.count > 0 ? sum / this.count : 0)
    return { recall: mean(this.#recall), ndcg: mean(this.#ndcg) }
  }
}
