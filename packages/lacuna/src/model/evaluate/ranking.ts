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
 * Recall and nDCG of the rankings for every row that has relevant held-out entries, beside those of a ranking
 * by popularity if the entries of rows are known. Throws as `topForAll` does.
 * @param test held-out entries
 */
export async function evaluateRanking(
  model: Predictor,
  test: SparseTensor,
  options: RankingOptions,
): Promise<RankingEvaluation> {
  const { n = 10, relevant = -Infinity, exclude, minEntries } = options
  const lookup = new LabelLookup(model)
  const askedMode = lookup.mode(options.for)
  const rankedMode = lookup.mode(options.of)
  const relevantRows = rankedRowsBy(test, askedMode, rankedMode, (e) => test.values[e] >= relevant)
  const excludedRows = exclude
    ? rankedRowsBy(exclude, askedMode, rankedMode, () => true)
    : new Map<number, Set<number>>()
  const modelMeans = new QualityMeans()
  const popularityMeans = new QualityMeans()
  const counts = model.observed?.counts[rankedMode]
  for await (const { first, count, rows, found } of topForAll(model, { ...options, n }))
    for (let q = 0; q < count; q++) {
      const sought = relevantRows.get(first + q)
      if (!sought) continue
      modelMeans.add(rows.subarray(q * n, q * n + found[q]), sought, n)
      const excluded = excludedRows.get(first + q)
      if (counts)
        popularityMeans.add(
          largest(counts, n, (row) => counts[row] >= (minEntries ?? 1) && !excluded?.has(row)),
          sought,
          n,
        )
    }
  return {
    n,
    rows: modelMeans.count,
    model: modelMeans.quality,
    ...(counts && { popularity: popularityMeans.quality }),
  }
}

/** For each row of the asked mode, the set of rows of the ranked mode that it has included entries with. */
function rankedRowsBy(
  { indices, values }: SparseTensor,
  askedMode: number,
  rankedMode: number,
  isIncluded: (entry: number) => boolean,
): Map<number, Set<number>> {
  const rows = new Map<number, Set<number>>()
  for (let e = 0; e < values.length; e++) {
    if (!isIncluded(e)) continue
    const ranked = rows.get(indices[askedMode][e])
    if (ranked) ranked.add(indices[rankedMode][e])
    else rows.set(indices[askedMode][e], new Set([indices[rankedMode][e]]))
  }
  return rows
}

/** Means of recall and nDCG over rankings. */
class QualityMeans {
  /** Number of rankings added. */
  count = 0
  #recall = 0
  #ndcg = 0

  /**
   * Adds a ranking.
   * @param answers the ranked rows, the best first
   * @param sought the relevant rows, at least one
   * @param n length of the ranking, to which recall and nDCG are limited
   */
  add(answers: ArrayLike<number>, sought: ReadonlySet<number>, n: number): void {
    let [hits, gain, ideal] = [0, 0, 0]
    for (let position = 0; position < n; position++) {
      const weight = 1 / Math.log2(position + 2)
      if (position < sought.size) ideal += weight
      if (position >= answers.length || !sought.has(answers[position])) continue
      hits++
      gain += weight
    }
    this.count++
    this.#recall += hits / Math.min(n, sought.size)
    this.#ndcg += gain / ideal
  }

  /** The means over all rankings added so far; zeros if there are none. */
  get quality(): RankingQuality {
    const mean = (sum: number): number => (this.count > 0 ? sum / this.count : 0)
    return { recall: mean(this.#recall), ndcg: mean(this.#ndcg) }
  }
}
