/** The paper's figures and logarithmic axes. */
import fc from 'fast-check'
import { convergenceFigure, imageFigure, secondsFigure, speedUpFigure } from 'lacuna-figures/paper'
import { logScale, WIDTH } from 'lacuna-figures/plot'
import { parseHTML } from 'linkedom'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { toPng } from '#cli/paper/report/render.ts'
import { sampleResults } from '../cli/paper/sample.ts'
import { checkProperty } from '../properties.ts'

const { document } = parseHTML('<html></html>') as unknown as { document: Document }
const { image, convergence, timing } = sampleResults()
const pixel = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA='
const links = { original: pixel, damaged: pixel, paper: pixel, fast: pixel, patches: pixel }

const figures = {
  1: imageFigure(image!, links, document),
  2: convergenceFigure(convergence!, document),
  3: secondsFigure(timing!, document),
  4: speedUpFigure(timing!, document),
}
const texts = (figure: Element): string[] =>
  [...figure.querySelectorAll('text')].map(({ textContent }) => textContent ?? '')

describe.each(Object.entries(figures))('figure %s', (number, figure) => {
  const svg = figure.outerHTML

  it(`figure ${number} is drawn without NaN, undefined or infinite numbers`, async () => {
    expect(svg).not.toMatch(/NaN|undefined|Infinity/)
    const { width, height } = await sharp(await toPng(svg)).metadata()
    expect(width).toBe(2 * WIDTH)
    expect(height).toBe(2 * Number(figure.getAttribute('height')))
  })

  it(`figure ${number} has a dark colour for every light one`, () => {
    const [, dark] = svg.split('prefers-color-scheme: dark')
    const coloured = [...figure.querySelectorAll('[stroke^="#"], [fill^="#"]')]
    expect(coloured.length).toBeGreaterThan(0)
    for (const element of coloured) {
      const name = element.getAttribute('class')
      expect(name).toMatch(/^(stroke|fill)-/)
      expect(dark.split('}}')[0]).toContain(`.${name}{`)
    }
  })
})

it('figures name every series and every panel', () => {
  expect(texts(figures[1])).toEqual(
    expect.arrayContaining(['original', '10% of the values known', 'fast: 19.0 dB']),
  )
  expect(texts(figures[2])).toEqual(
    expect.arrayContaining([
      'paper, c = 0.05',
      'paper, c = 0.2',
      'paper, c = 0.5',
      'fast',
      'S1: 10 dB',
      'T: real',
    ]),
  )
  for (const figure of [figures[3], figures[4]])
    expect(texts(figure)).toEqual(
      expect.arrayContaining(['paper on S', 'fast on T', 'R = 10', 'R = 50', 'threads']),
    )
})

it('figure 2 has one line per solver, c and panel', () => {
  // Three panels of four curves, against epochs and against seconds.
  const drawn = figures[2].querySelectorAll('[aria-label=line]')
  expect(drawn.length).toBe(2 * 3 * 4)
  for (const line of drawn) expect(line.querySelectorAll('path').length).toBe(1)
})

it('a logarithmic axis labels all of its ticks differently', () => {
  const positive = fc.double({ min: 1e-7, max: 1e7, noNaN: true })
  checkProperty(
    fc.property(
      fc.array(positive, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 2, max: 5 }),
      (xs, wanted) => {
        const { domain, ticks, tickFormat } = logScale(xs, wanted)
        expect(domain[0]).toBeLessThanOrEqual(Math.min(...xs))
        expect(domain[1]).toBeGreaterThanOrEqual(Math.max(...xs))
        for (const tick of ticks) expect(tick >= domain[0] && tick <= domain[1]).toBe(true)
        expect(ticks.length).toBeLessThanOrEqual(2 * wanted + 1)
        if (domain[1] / domain[0] > 2) expect(ticks.length).toBeGreaterThanOrEqual(2)
        const labels = ticks.map(tickFormat)
        expect(new Set(labels).size).toBe(labels.length)
        for (const [i, label] of labels.entries()) expect(Number(label)).toBeCloseTo(ticks[i], 12)
      },
    ),
    { seed: 1 },
  )
})

it('each problem of figure 2 has its own error axis, so that curves of large errors are not flat', () => {
  const heights = [...figures[2].querySelectorAll('svg')].map((panel) => {
    const numbers = [...panel.querySelectorAll('path[class^="stroke-"], g[class^="stroke-"] path')]
      .flatMap((path) => [...(path.getAttribute('d') ?? '').matchAll(/,(-?[\d.]+)/g)])
      .map(([, y]) => Number(y))
    return (Math.max(...numbers) - Math.min(...numbers)) / Number(panel.getAttribute('height'))
  })
  expect(heights.length).toBe(2 * convergence!.problems.length)
  for (const height of heights) expect(height).toBeGreaterThan(0.4)
})
