/** Puts panels, headings and a legend together into one SVG. */
import { FONT, FONT_SIZE, INK, type Look, styleSheet, WIDTH } from './style.ts'

const SVG = 'http://www.w3.org/2000/svg'

export interface LegendItem {
  look: Look
  label: string
  /** Where the series is told by its dashes and not by the look's own. */
  dash?: string
  marker?: boolean
}

const LINE_HEIGHT = 18
const SWATCH = 24
/** Mean width of a character of the font, for what must be laid out without measuring it. */
const CHARACTER = 0.54 * FONT_SIZE

/** A figure that grows downwards as parts are added to it. */
export class Sheet {
  readonly #document: Document
  readonly #svg: SVGSVGElement
  readonly #width: number
  #height = 0

  constructor(document: Document, title: string, width = WIDTH) {
    this.#document = document
    this.#width = width
    this.#svg = this.#make('svg', { class: 'lacuna-figure', xmlns: SVG, role: 'img', 'aria-label': title })
    this.#svg.append(this.#make('style', {}, styleSheet))
  }

  /** Free space. */
  space(height: number): void {
    this.#height += height
  }

  /** A line of bold text at the left. */
  heading(text: string): void {
    this.#height += LINE_HEIGHT
    this.#text(text, 4, this.#height - 5, { 'font-weight': '600' })
  }

  /** Text anywhere on the sheet; y counts from what has been added so far. */
  label(text: string, x: number, y: number, attributes: Record<string, string> = {}): void {
    this.#text(text, x, this.#height + y, attributes)
  }

  /** Swatches with their names, in as many lines as they need. */
  legend(items: readonly LegendItem[]): void {
    let x = 4
    this.#height += LINE_HEIGHT
    for (const { look, label, dash, marker } of items) {
      const width = SWATCH + 6 + label.length * CHARACTER + 14
      if (x > 4 && x + width > this.#width) {
        x = 4
        this.#height += LINE_HEIGHT
      }
      const y = this.#height - 8
      const dashes = dash ?? look.dash
      this.#svg.append(
        this.#make('line', {
          ...{ x1: x, x2: x + SWATCH, y1: y, y2: y, stroke: look.light, class: `stroke-${look.name}` },
          ...{ 'stroke-width': look.width, ...(dashes ? { 'stroke-dasharray': dashes } : {}) },
        }),
      )
      if (marker)
        this.#svg.append(
          this.#make('circle', {
            cx: x + SWATCH / 2,
            cy: y,
            r: 3,
            fill: look.light,
            class: `fill-${look.name}`,
          }),
        )
      this.#text(label, x + SWATCH + 6, y + 4)
      x += width
    }
    this.#height += 4
  }

  /** Plots side by side. */
  panels(...plots: Element[]): void {
    let x = 0
    for (const plot of plots) {
      plot.setAttribute('x', String(x))
      plot.setAttribute('y', String(this.#height))
      plot.removeAttribute('class') // Plot's own style sheet hangs on it, and would be one per panel
      for (const style of plot.querySelectorAll('style')) style.remove()
      this.#svg.append(plot)
      x += Number(plot.getAttribute('width'))
    }
    this.#height += Math.max(...plots.map((plot) => Number(plot.getAttribute('height'))))
  }

  /** A picture; y counts from what has been added so far. */
  picture(href: string, x: number, y: number, width: number, height: number): void {
    this.#svg.append(
      this.#make('image', {
        ...{ href, x, y: this.#height + y, width, height, preserveAspectRatio: 'none' },
      }),
    )
  }

  end(): SVGSVGElement {
    const [width, height] = [this.#width, Math.ceil(this.#height)]
    const size = { width, height, viewBox: `0 0 ${width} ${height}` }
    for (const [name, value] of Object.entries(size)) this.#svg.setAttribute(name, String(value))
    this.#svg.setAttribute('style', 'max-width:100%;height:auto')
    return this.#svg
  }

  #text(text: string, x: number, y: number, attributes: Record<string, string> = {}): void {
    const all = {
      x,
      y,
      fill: 'currentColor',
      'font-family': FONT,
      'font-size': String(FONT_SIZE),
      ...attributes,
    }
    this.#svg.append(this.#make('text', all, text))
  }

  #make<Name extends keyof SVGElementTagNameMap>(
    name: Name,
    attributes: Record<string, string | number>,
    text?: string,
  ): SVGElementTagNameMap[Name] {
    const element = this.#document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
    if (name === 'svg') element.setAttribute('color', INK.light)
    if (text !== undefined) element.textContent = text
    return element
  }
}
