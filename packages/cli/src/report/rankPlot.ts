/** The plot of out-of-fold errors against ranks: all trials, and beside them those near the best. */
import * as Plot from '@observablehq/plot'
import { axisLabel, fill, frame, logScale, looks, Sheet, stroke, WIDTH } from 'lacuna-figures/plot'
import { formatNumber } from '../print/format.ts'
import { createDocument, htmlPage } from './htmlPage.ts'

/** A rank that was tried, with its error. */
export interface TriedRank {
  rank: number
  /** Out-of-fold RMSE. */
  rmse: number
  /** Standard error of the RMSE, from the differences between folds. */
  spread: number
}

/** Ranks count as near the best if their error is larger by at most this fraction. */
const NEAR = 0.05
/** Least number of ranks near the best. */
const LEAST_NEAR = 3
/** Ranks near the best get their own panel if the largest error is this many times theirs. */
const LARGE = 1.3
/** Width of a rank's label in pixels. */
const LABEL = 24

/** The figure as SVG, or as an HTML page with a table. @param chosen one of the trials, which is marked */
export async function rankPlot(
  trials: readonly TriedRank[],
  chosen: TriedRank,
  format: 'svg' | 'html',
): Promise<string> {
  const svg = rankFigure(trials, chosen, await createDocument()).outerHTML
  if (format === 'svg') return `${svg}\n`
  const title = `Error against rank: ${chosen.rank} is chosen`
  const rows = trials.map(
    (trial) =>
      `<tr><td>${trial.rank}</td><td>${formatNumber(trial.rmse)}</td><td>± ${formatNumber(trial.spread)}</td><td>${trial === chosen ? 'chosen' : ''}</td></tr>`,
  )
  const body = `<h1>${title}</h1>
<div class="figure">${svg}</div>
<table><tr class="soft"><th>rank</th><th>RMSE out of fold</th><th></th><th></th></tr>${rows.join('')}</table>
<p class="soft">Every entry is predicted by models that have not seen it. The bars are a standard error to either side, by how much the
folds differ.</p>`
  return htmlPage({ title, css, body })
}

/** Rules of the page beside those of all pages. */
const css = `
.figure svg { width: 46rem; }
td, th { text-align: right; padding: .1rem .8rem .1rem 0; font-weight: 400; }`

function rankFigure(trials: readonly TriedRank[], chosen: TriedRank, document: Document): SVGSVGElement {
  const sorted = [...trials].sort((a, b) => a.rank - b.rank)
  const near = nearBest(sorted, chosen)
  const sheet = new Sheet(document, `RMSE out of fold against rank; ${chosen.rank} is chosen`)
  sheet.legend([
    { look: looks.paper, label: 'RMSE out of fold, ± a standard error', marker: true },
    { look: looks.fast, label: `chosen: rank ${chosen.rank}, ${formatNumber(chosen.rmse)}`, marker: true },
  ])
  sheet.space(6)
  const top = (some: readonly TriedRank[]): number => Math.max(...some.map(({ rmse }) => rmse))
  if (top(sorted) < LARGE * top(near)) sheet.panels(panel(sorted, chosen, document, WIDTH))
  else {
    sheet.label('all that were tried', 4, 10, { 'font-weight': '600' })
    sheet.label('near the best', WIDTH / 2 + 4, 10, { 'font-weight': '600' })
    sheet.space(12)
    sheet.panels(panel(sorted, chosen, document, WIDTH / 2), panel(near, chosen, document, WIDTH / 2))
  }
  return sheet.end()
}

function nearBest(sorted: readonly TriedRank[], chosen: TriedRank): TriedRank[] {
  const errors = sorted.map(({ rmse }) => rmse).sort((a, b) => a - b)
  const limit = Math.max((1 + NEAR) * errors[0], errors[Math.min(errors.length, LEAST_NEAR) - 1], chosen.rmse)
  return sorted.filter(({ rmse }) => rmse <= limit)
}

function panel(trials: readonly TriedRank[], chosen: TriedRank, document: Document, width: number): Element {
  const low = ({ rmse, spread }: TriedRank): number => Math.max(rmse / 2, rmse - spread)
  const high = ({ rmse, spread }: TriedRank): number => rmse + spread
  const isChosen = (trial: TriedRank): boolean => trial === chosen
  const bars = (some: readonly TriedRank[], look: (typeof looks)['paper' | 'fast']) => [
    Plot.ruleX(some, { x: 'rank', y1: low, y2: high, ...stroke(look) }),
    Plot.dot(some, { x: 'rank', y: 'rmse', r: 3.5, stroke: 'none', ...fill(look) }),
  ]
  return Plot.plot({
    ...frame(document, { width, height: 220, marginTop: 14 }),
    x: { ...rankScale(trials, chosen.rank, width), ...axisLabel('rank') },
    y: { ...errorScale(trials.flatMap((trial) => [low(trial), high(trial)])), label: null, grid: true },
    marks: [
      Plot.line(trials, { x: 'rank', y: 'rmse', ...stroke({ ...looks.paper, width: 1 }) }),
      ...bars(
        trials.filter((trial) => !isChosen(trial)),
        looks.paper,
      ),
      ...bars(trials.filter(isChosen), looks.fast),
    ],
  })
}

/**
 * A logarithmic scale for errors that are far apart; for others, which would get no ticks on it, a linear
 * one.
 */
function errorScale(errors: readonly number[]) {
  const [low, high] = [Math.min(...errors), Math.max(...errors)]
  return high > 2 * low
    ? { ...logScale(errors, 4), tickFormat: formatNumber }
    : { domain: [low, high] as const, nice: true, ticks: 5, tickFormat: formatNumber }
}

/** A logarithmic scale with ticks at the ranks, as far as there is room, and always at the chosen one. */
function rankScale(trials: readonly TriedRank[], chosen: number, width: number) {
  const ranks = [...new Set(trials.map(({ rank }) => rank))]
  const { domain } = logScale(ranks, 2)
  const position = (rank: number): number => (width * Math.log(rank)) / Math.log(domain[1] / domain[0])
  const ticks: number[] = []
  for (const rank of [chosen, ...ranks])
    if (ticks.every((other) => Math.abs(position(other) - position(rank)) >= LABEL)) ticks.push(rank)
  return { type: 'log' as const, domain, ticks, tickFormat: String }
}
