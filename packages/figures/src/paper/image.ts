/** Figure 1: image completion. */
import * as Plot from '@observablehq/plot'
import { axisLabel, frame, type Look, logScale, looks, Sheet, stroke, WIDTH } from '../plot/index.ts'
import type { Curve, ImageMethod, ImageResult } from '../results/index.ts'

/** The URL of each picture: a data URI in a file that stands alone, an object URL in a page. */
export type PictureLinks = { original: string; damaged: string } & { [method in ImageMethod]?: string }

/** Names of the methods in captions and legends. */
const NAMES: { [method in ImageMethod]: string } = { paper: 'paper', fast: 'fast', patches: 'fast, patches' }
/** Pictures per row, the gap between them and the height of a caption, in pixels. */
const COLUMNS = 3
const GAP = 8
const CAPTION = 20

/**
 * Draws the original, damaged and restored pictures, and the error of each run against epochs and seconds.
 */
export function imageFigure(result: ImageResult, links: PictureLinks, document: Document): SVGSVGElement {
  const sheet = new Sheet(document, 'The picture, what was left of it and what came back')
  const [height, width] = result.data.dims
  const known = (100 * result.data.entries) / result.data.dims.reduce((cells, dim) => cells * dim, 1)
  const tiles = [
    { href: links.original, caption: 'original' },
    { href: links.damaged, caption: `${Math.round(known)}% of the values known` },
    ...result.runs.map(({ method, quality }) => ({
      href: links[method],
      caption: `${NAMES[method]}: ${quality.psnr.toFixed(1)} dB`,
    })),
  ]
  const tileWidth = (WIDTH - (COLUMNS - 1) * GAP) / COLUMNS
  const tileHeight = (tileWidth * height) / width
  for (const row of [tiles.slice(0, 2), tiles.slice(2)]) {
    const left = (WIDTH - row.length * tileWidth - (row.length - 1) * GAP) / 2
    for (const [column, { href, caption }] of row.entries()) {
      const x = left + column * (tileWidth + GAP)
      if (href) sheet.picture(href, x, 0, tileWidth, tileHeight)
      sheet.label(caption, x + tileWidth / 2, tileHeight + 15, { 'text-anchor': 'middle' })
    }
    sheet.space(tileHeight + CAPTION + 4)
  }
  const curves = result.runs.flatMap(({ method, curve, sample }) =>
    curve
      ? [{ look: looks[method], curve, label: method === 'paper' ? `paper, c = ${sample}` : NAMES[method] }]
      : [],
  )
  if (curves.length > 0) {
    sheet.space(4)
    sheet.heading('Relative error on hidden values')
    sheet.legend(curves)
    sheet.panels(
      panel(curves, 'epoch', 'epochs', document),
      panel(curves, 'seconds', 'seconds of updates', document),
    )
  }
  return sheet.end()
}

/**
 * Draws the error on hidden values of each run.
 * @param along the quantity on the horizontal axis
 * @param label its name
 */
function panel(
  curves: readonly { look: Look; curve: Curve }[],
  along: 'epoch' | 'seconds',
  label: string,
  document: Document,
): Element {
  const pick = (what: 'epoch' | 'seconds' | 'hidden'): number[] => curves.flatMap(({ curve }) => curve[what])
  return Plot.plot({
    ...frame(document, { width: WIDTH / 2, height: 170, marginTop: 10 }),
    x: { ...logScale(pick(along), 3), ...axisLabel(label) },
    y: { ...logScale(pick('hidden'), 3), label: null, grid: true },
    marks: curves.map(({ look, curve }) => {
      const points = curve.epoch.map((_, i) => ({ at: curve[along][i], error: curve.hidden[i] }))
      return Plot.line(points, { x: 'at', y: 'error', ...stroke(look) })
    }),
  })
}
