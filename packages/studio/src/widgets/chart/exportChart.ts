/** Charts as files: SVG with resolved colours and its legend, and PNG. */
import type { LegendEntry } from './chartStyle.ts'

/** The namespace of SVG elements. */
const SVG = 'http://www.w3.org/2000/svg'
/** The height of the legend in pixels. */
const LEGEND_HEIGHT = 22
/** Pixels of a PNG per pixel of the chart. */
const PNG_SCALE = 2

/** Replaces each var(--name) in SVG text by the value of the variable, as other programs know none. */
export const resolveVariables = (svg: string, readVariable: (name: string) => string): string =>
  svg.replace(/var\((--[\w-]+)\)/g, (_, name: string) => readVariable(name).replaceAll('"', "'"))

/**
 * Returns a chart as the text of an .svg file: colours resolved, on the background of the page, with its
 * legend above.
 */
export function chartSvg(drawn: Element, legend: readonly LegendEntry[]): string {
  const source = drawn instanceof SVGSVGElement ? drawn : drawn.querySelector('svg')!
  const [width, height] = ['width', 'height'].map((name) => Number(source.getAttribute(name)))
  const top = legend.length > 0 ? LEGEND_HEIGHT : 0
  const figure = create('svg', {
    xmlns: SVG,
    width,
    height: height + top,
    viewBox: `0 0 ${width} ${height + top}`,
    color: 'var(--soft)',
  })
  figure.append(create('rect', { width, height: height + top, fill: 'var(--card)' }))
  let x = 8
  for (const { text, colour, dash } of legend) {
    figure.append(
      create('line', {
        ...{ x1: x, x2: x + 18, y1: 12, y2: 12, stroke: colour, 'stroke-width': 2 },
        ...(dash && { 'stroke-dasharray': dash }),
      }),
    )
    const label = create('text', { x: x + 24, y: 16, fill: 'var(--soft)', style: 'font: 11px var(--font)' })
    label.textContent = text
    figure.append(label)
    x += 24 + 6.2 * text.length + 18
  }
  const inner = source.cloneNode(true) as SVGSVGElement
  for (const tip of inner.querySelectorAll('[aria-label="tip"], .brush')) tip.remove()
  inner.setAttribute('y', String(top))
  figure.append(inner)
  return resolveVariables(new XMLSerializer().serializeToString(figure), variableReader())
}

/** Returns a chart as a .png file. @param svg the text of its .svg file */
export async function chartPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }))
  try {
    const image = new Image()
    image.src = url
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = PNG_SCALE * image.width
    canvas.height = PNG_SCALE * image.height
    canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) =>
        blob ? resolve(blob) : reject(new Error('The browser could not make the picture.')),
      ),
    )
  } finally {
    URL.revokeObjectURL(url)
  }
}

/** Returns a function that reads a CSS variable: colours as the current theme shows them. */
function variableReader(): (name: string) => string {
  const probe = document.createElement('span')
  document.body.append(probe)
  const known = new Map<string, string>()
  queueMicrotask(() => probe.remove())
  return (name) => {
    const cached = known.get(name)
    if (cached !== undefined) return cached
    // light-dark() is resolved in the colour of an element, not in the variable itself.
    probe.style.color = 'rgb(1, 2, 3)'
    probe.style.color = `var(${name})`
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim()
    const value = CSS.supports('color', text) ? getComputedStyle(probe).color : text
    known.set(name, value)
    return value
  }
}

/** Makes an SVG element with attributes. */
function create(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name) as SVGElement
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}
