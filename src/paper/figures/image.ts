/** Figure 1: the picture, what was left of it, what came back, and the error on the way. */
import * as Plot from '@observablehq/plot'
import type { Curve, ImageMethod, ImageResult } from '../results.ts'
import { Sheet } from './sheet.ts'
import { FONT, FONT_SIZE, type Look, looks, stroke, WIDTH } from './style.ts'
import { plainNumber } from './ticks.ts'

/** Where each picture is to be found: data URIs in a file of its own, addresses in a page. */
export type PictureLinks = { original: string; damaged: string } & { [method in ImageMethod]?: string }

const NAMES: { [method in ImageMethod]: string } = { paper: 'paper', fast: 'fast', patches: 'fast, patches' }
const COLUMNS = 3
const GAP = 8
const CAPTION = 20

export function imageFigure(result: ImageResult, links: PictureLinks, document: Document): SVGSVGElement {
  const sheet = new Sheet(document, 'The picture, what was left of it and what came back')
  const [height, width] = result.data.dims
  const share = (100 * result.data.entries) / result.data.dims.reduce((cells, dim) => cells * dim, 1)
  const tiles = [
    { href: links.original, caption: 'original' },
    { href: links.damaged, caption: `${Math.round(share)}% of the values known` },
    ...result.runs.map(({ method, quality }) => ({
      href: links[method],
      caption: `${NAMES[method]}: ${quality.psnr.toFixed(1)} dB`,
    })),
  ]
  const tileWidth = (WIDTH - (COLUMNS - 1) * GAP) / COLUMNS
  const tileHeight = (tileWidth * height) / width
  for (let first = 0; first < tiles.length; first += COLUMNS) {
    for (const [column, { href, caption }] of tiles.slice(first, first + COLUMNS).entries()) {
      const x = column * (tileWidth + GAP)
      if (href) sheet.picture(href, x, 0, tileWidth, tileHeight)
      sheet.label(caption, x + tileWidth / 2, tileHeight + 14, { 'text-anchor': 'middle' })
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
    sheet.panel(panel(curves, document))
  }
  return sheet.end()
}

function panel(curves: readonly { look: Look; curve: Curve }[], document: Document): Element {
  const points = (curve: Curve, along: 'epoch' | 'seconds') =>
    curve.epoch.map((_, i) => ({ at: curve[along][i], error: curve.hidden[i] }))
  const axes = ['epoch', 'seconds'] as const
  const label = { epoch: 'against epochs', seconds: 'against seconds of updates' }
  return Plot.plot({
    ...{
      document,
      width: WIDTH,
      height: 190,
      marginLeft: 46,
      marginRight: 12,
      marginTop: 24,
      marginBottom: 26,
    },
    style: { fontFamily: FONT, fontSize: `${FONT_SIZE}px`, background: 'none' },
    fx: { label: null, padding: 0.09, domain: axes.map((along) => label[along]) },
    x: { type: 'log', label: null, ticks: 4, tickFormat: plainNumber },
    y: { type: 'log', label: null, grid: true, ticks: 4, tickFormat: plainNumber },
    marks: axes.flatMap((along) =>
      curves.map(({ look, curve }) =>
        Plot.line(points(curve, along), { fx: () => label[along], x: 'at', y: 'error', ...stroke(look) }),
      ),
    ),
  })
}
