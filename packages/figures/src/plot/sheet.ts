/** Composes plots, headings, pictures and a legend into one SVG figure. */
import { FONT, FONT_SIZE, INK, type Look, styleSheet, WIDTH } from './style.ts'

/** The namespace of SVG elements. */
const SVG = 'http://www.w3.org/2000/svg'

/** An entry of a legend. */
export interface LegendItem {
  look: Look
  label: string
  /** Dashes of the line, if they differ from the look's own. */
  dash?: string
  /** Whether the series also has dots. */
  marker?: boolean
}

/** The height of a line of text in pixels. */
const LINE_HEIGHT = 18
/** The length of a line sample in the legend, in pixels. */
const SWATCH = 24
/** Mean width of a character in pixels: the layout cannot measure text, since there may be no browser. */
const CHARACTER = 0.54 * FONT_SIZE

/** A figure to which elements are added from top to bottom. Lengths are in pixels. */
export class Sheet {
  readonly #document: Document
  readonly #svg: SVGSVGElement
  readonly #width: number
  #height = 0

  /** Starts an empty figure. @param title the accessible name of the figure @param width in pixels */
  constructor(document: Document, title: string, width = WIDTH) {
    this.#document = document
    this.#width = width
    this.#svg = this.#create('svg', { class: 'lacuna-figure', xmlns: SVG, role: 'img', 'aria-label': title })
    this.#svg.append(this.#create('style', {}, styleSheet))
  }

  /** Adds empty space. */
  space(height: number): void {
    this.#height += height
  }

  /** Adds a line of bold text at the left. */
  heading(text: string): void {
    this.#height += LINE_HEIGHT
    this.#text(text, 4, this.#height - 5, { 'font-weight': '600' })
  }

  /** Adds a line of text at the left. */
  note(text: string): void {
    this.#height += LINE_HEIGHT
    this.#text(text, 4, this.#height - 5, { 'fill-opacity': '0.75' })
  }

  /** Puts text anywhere, without taking space. @param y from the lower edge of what has been added so far */
  label(text: string, x: number, y: number, attributes: Record<string, string> = {}): void {
    this.#text(text, x, this.#height + y, attributes)
  }

  /** Adds a legend: line samples with their names, in as many lines as they need. */
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
        this.#create('line', {
          ...{ x1: x, x2: x + SWATCH, y1: y, y2: y, stroke: look.light, class: `stroke-${look.name}` },
          ...{ 'stroke-width': look.width, ...(dashes ? { 'stroke-dasharray': dashes } : {}) },
        }),
      )
      if (marker)
        this.#svg.append(
          this.#create('circle', {
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

  /** Adds plots side by side. */
  panels(...plots: Element[]): void {
    let x = 0
    for (const plot of plots) {
      plot.setAttribute('x', String(x))
      plot.setAttribute('y', String(this.#height))
      plot.removeAttribute('class') // Plot's style sheet selects by it, and would be repeated in every panel
      for (const style of plot.querySelectorAll('style')) style.remove()
      this.#svg.append(plot)
      x += Number(plot.getAttribute('width'))
    }
    this.#height += Math.max(...plots.map((plot) => Number(plot.getAttribute('height'))))
  }

  /**
   * Puts a picture anywhere, without taking space.
   * @param y from the lower edge of what has been added so far
   */
  picture(href: string, x: number, y: number, width: number, height: number): void {
    this.#svg.append(
      this.#create('image', {
        ...{ href, x, y: this.#height + y, width, height, preserveAspectRatio: 'none' },
      }),
    )
  }

  /** Sets the size of the figure and returns it. */
  end(): SVGSVGElement {
    const [width, height] = [this.#width, Math.ceil(this.#height)]
    const size = { width, height, viewBox: `0 0 ${width} ${height}` }
    for (const [name, value] of Object.entries(size)) this.#svg.setAttribute(name, String(value))
    this.#svg.setAttribute('style', 'max-width:100%;height:auto')
    return this.#svg
  }

  /** Adds text at a position of the figure. */
  #text(text: string, x: number, y: number, attributes: Record<string, string> = {}): void {
    const all = {
      x,
      y,
      fill: 'currentColor',
      'font-family': FONT,
      'font-size': String(FONT_SIZE),
      ...attributes,
    }
    this.#svg.append(this.#create('text', all, text))
  }

  /** Makes an SVG element with attributes and text. */
  #create<Name extends keyof SVGElementTagNameMap>(
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
