/** Ranking quality: how many held-out entries are among the top rows, beside a ranking by popularity. */
import type { SparseTensor } from '../../tensor/index.ts'
import { largest } from '../answer/largest.ts'
import { topForAll } from '../answer/topForAll.ts'
import type { Predictor } from '../factored.ts'
import { LabelLookup } from '../labelLookup.ts'

/** Options of `evaluateRanking`. */
export interface RankingOptions {
  /** Mode for each of whose rows a ranking is made, such as users. */
  for: string
  /** Mode whose rows are ranked, such as films. */
  of: string
  /** Length of a ranking; 10 by default. */
  n?: number
  /** Least value of a relevant held-out entry; by default all are relevant. */
  relevant?: number
  /** Training entries, whose rows are left out of the rankings; none by default. */
  exclude?: SparseTensor
  /** Least number of training entries of a ranked row; 1 by default. */
  minEntries?: number
  /** Worker threads; all cores by default. */
  threads?: number
}

/** Recall and nDCG, means over the rows with relevant held-out entries. */
export interface RankingQuality {
  /** Fraction of the relevant rows, or of n where they are more, among the first n. */
  recall: number
  /** Normalized discounted cumulative gain: 1 where all relevant rows come first. */
  ndcg: number
}

/** Ranking quality of a model and of a ranking by popularity. */
export interface RankingEvaluation {
  /** Length of a ranking. */
  n: number
  /** Rows with relevant held-out entries, for which rankings are judged. */
  rows: number
  /** Quality of the model's rankings. */
  model: RankingQuality
  /** Quality of the rows with most training entries as a ranking, without those excluded. */
  popularity?: RankingQuality
}

/**
 * Recall and nDCG of the rankings for every row that has relevant held-out entries.
 * @param test held-out entries
 */
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
