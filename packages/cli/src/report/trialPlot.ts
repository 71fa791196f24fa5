/** The plot of a search over settings: a line for each trial, with its out-of-fold error, the best first. */
import * as Plot from '@observablehq/plot'
import { axisLabel, fill, frame, looks, Sheet, stroke } from 'lacuna-figures/plot'
import { escapeHtml, htmlPage } from 'lacuna-figures/report'
import { formatNumber } from '../print/format.ts'
import { createDocument } from './document.ts'

/** A trial to draw. */
export interface DrawnTrial {
  /** Its settings, in words. */
  name: string
  /** Out-of-fold RMSE. */
  rmse: number
  /** Standard error of the RMSE, from the differences between folds. */
  spread: number
  /** Its weight in the combination; undefined where it is not part of it. */
  weight?: number
}

/** The height of a trial's line, and the space for axis and margins, in pixels. */
const [LINE, SPACE] = [16, 46]
/** The width of the figure and of the names in it, in pixels. */
const [WIDTH, NAMES] = [860, 470]

/** Draws all trials of a search, as SVG or as an HTML page with a table. Returns the text of the file. */
export async function trialPlot(trials: readonly DrawnTrial[], format: 'svg' | 'html'): Promise<string> {
  const sorted = [...trials].sort((a, b) => a.rmse - b.rmse)
  const svg = trialFigure(sorted, await createDocument()).outerHTML
  if (format === 'svg') return `${svg}\n`
  const title = 'What was tried, by its error'
  const rows = sorted.map(
    ({ name, rmse, spread, weight }) =>
      `<tr><td>${escapeHtml(name)}</td><td>${formatNumber(rmse)}</td><td>± ${formatNumber(spread)}</td><td>${weight === undefined ? '' : formatNumber(weight)}</td></tr>`,
  )
  const body = `<h1>${title}</h1>
<div class="figure">${svg}</div>
<table><tr class="soft"><th>settings</th><th>RMSE out of fold</th><th></th><th>weight</th></tr>${rows.join('')}</table>
<p class="soft">Every entry is predicted by models that have not seen it. The bars are a standard error to either side, by how much the
folds differ. Trials with a weight are combined.</p>`
  return htmlPage({ title, css, body })
}

/** Rules of the page beside those of all pages. */
const css = `
.figure svg { width: 60rem; max-width: 100%; }
td, th { text-align: right; padding: .1rem .8rem .1rem 0; font-weight: 400; }
td:first-child, th:first-child { text-align: left; }`

/** Draws the figure. @param trials the best first */
function trialFigure(trials: readonly DrawnTrial[], document: Document): SVGSVGElement {
  const combined = trials.filter(({ weight }) => weight !== undefined)
  const others = trials.filter(({ weight }) => weight === undefined)
  const sheet = new Sheet(document, `RMSE out of fold of ${trials.length} trials`, WIDTH)
  sheet.legend([
    { look: looks.fast, label: combined.length > 1 ? 'combined' : 'chosen', marker: true },
    { look: looks.paper, label: 'others, ± a standard error', marker: true },
  ])
  const low = ({ rmse, spread }: DrawnTrial): number => Math.max(rmse / 2, rmse - spread)
  const high = ({ rmse, spread }: DrawnTrial): number => rmse + spread
  const bars = (some: readonly DrawnTrial[], look: (typeof looks)['paper' | 'fast']) => [
    Plot.ruleY(some, { y: 'name', x1: low, x2: high, ...stroke(look) }),
    Plot.dot(some, { y: 'name', x: 'rmse', r: 3.5, stroke: 'none', ...fill(look) }),
  ]
  sheet.panels(
    Plot.plot({
      ...frame(document, { width: WIDTH, height: LINE * trials.length + SPACE, marginTop: 8 }),
      marginLeft: NAMES,
      x: { ...axisLabel('RMSE out of fold'), grid: true, nice: true, tickFormat: formatNumber },
      y: { domain: trials.map(({ name }) => name), label: null, tickSize: 0 },
      marks: [...bars(others, looks.paper), ...bars(combined, looks.fast)],
    }),
  )
  return sheet.end()
}
