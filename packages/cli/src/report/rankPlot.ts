/** The plot of out-of-fold errors against ranks: all trials, and beside them those near the best. */
import * as Plot from '@observablehq/plot'
import { axisLabel, fill, frame, logScale, looks, Sheet, stroke, WIDTH } from 'lacuna-figures/plot'
import { htmlPage } from 'lacuna-figures/report'
import { formatNumber } from '../print/format.ts'
import { createDocument } from './document.ts'

/** A rank that was tried, with its error. */
export interface TriedRank {
  rank: number
  /** Out-of-fold RMSE. */
  rmse: number
  /** Standard error of the RMSE, from the differences between folds. */
  spread: number
}

/** Ranks count as near the best if their error is larger by at most this fraction. */
const NEAR_FRACTION = 0.05
/** Least number of ranks near the best. */
const MIN_NEAR = 3
/** Ranks near the best get a second panel if the largest error of all is at least this many times theirs. */
const PANEL_RATIO = 1.3
/** Least distance of the labels of two ranks, in pixels. */
const LABEL_DISTANCE = 24

/**
 * Draws the errors of the tried ranks, as SVG or as an HTML page with a table. Returns the text of the file.
 * @param chosen one of the trials, which is marked
 */
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

/** Draws the figure: a panel of all trials and, if errors differ much, one of those near the best. */
function rankFigure(trials: readonly TriedRank[], chosen: TriedRank, document: Document): SVGSVGElement {
  const sorted = [...trials].sort((a, b) => a.rank - b.rank)
  const near = nearBest(sorted, chosen)
  const sheet = new Sheet(document, `RMSE out of fold against rank; ${chosen.rank} is chosen`)
  sheet.legend([
    { look: looks.paper, label: 'RMSE out of fold, ± a standard error', marker: true },
    { look: looks.fast, label: `chosen: rank ${chosen.rank}, ${formatNumber(chosen.rmse)}`, marker: true },
  ])
  sheet.space(6)
  const largestError = (some: readonly TriedRank[]): number => Math.max(...some.map(({ rmse }) => rmse))
  if (largestError(sorted) < PANEL_RATIO * largestError(near))
    sheet.panels(drawPanel(sorted, chosen, document, WIDTH))
  else {
    sheet.label('all that were tried', 4, 10, { 'font-weight': '600' })
    sheet.label('near the best', WIDTH / 2 + 4, 10, { 'font-weight': '600' })
    sheet.space(12)
    sheet.panels(drawPanel(sorted, chosen, document, WIDTH / 2), drawPanel(near, chosen, document, WIDTH / 2))
  }
  return sheet.end()
}

/**
 * Filters the trials near the best: within NEAR_FRACTION of the smallest error, at least MIN_NEAR, and the
 * chosen one.
 */
function nearBest(sorted: readonly TriedRank[], chosen: TriedRank): TriedRank[] {
  const errors = sorted.map(({ rmse }) => rmse).sort((a, b) => a - b)
  const limit = Math.max(
    (1 + NEAR_FRACTION) * errors[0],
    errors[Math.min(errors.length, MIN_NEAR) - 1],
    chosen.rmse,
  )
  return sorted.filter(({ rmse }) => rmse <= limit)
}

/** Draws RMSE against rank with bars of a standard error to either side. @param width in pixels */
function drawPanel(
  trials: readonly TriedRank[],
  chosen: TriedRank,
  document: Document,
  width: number,
): Element {
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
 * Plot's options of the y axis: logarithmic if the largest error is more than twice the smallest, else
 * linear, because a logarithmic one would get no ticks.
 */
function errorScale(errors: readonly number[]) {
  const [low, high] = [Math.min(...errors), Math.max(...errors)]
  return high > 2 * low
    ? { ...logScale(errors, 4), tickFormat: formatNumber }
    : { domain: [low, high] as const, nice: true, ticks: 5, tickFormat: formatNumber }
}

/**
 * Plot's options of the x axis: logarithmic, with ticks at the chosen rank and at others as far as there is
 * room.
 * @param width in pixels
 */
function rankScale(trials: readonly TriedRank[], chosen: number, width: number) {
  const ranks = [...new Set(trials.map(({ rank }) => rank))]
  const { domain } = logScale(ranks, 2)
  const position = (rank: number): number => (width * Math.log(rank)) / Math.log(domain[1] / domain[0])
  const ticks: number[] = []
  for (const rank of [chosen, ...ranks])
    if (ticks.every((other) => Math.abs(position(other) - position(rank)) >= LABEL_DISTANCE)) ticks.push(rank)
  return { type: 'log' as const, domain, ticks, tickFormat: String }
}
