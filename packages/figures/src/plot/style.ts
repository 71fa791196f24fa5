/**
 * The style of all figures, in print and on screen. Colours are from the Okabe–Ito palette, or shades of its
 * blue, and no two series differ by colour alone. Attributes carry the light colours, which any program
 * shows; a style sheet inside the figure replaces them on dark screens.
 */

/** The font of all text. */
export const FONT = 'system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
/** The size of all text in pixels. */
export const FONT_SIZE = 12
/** The width of figures in pixels: in a column of 9 cm their text has 6 points. */
export const WIDTH = 520

/** Colours and line style of a series. */
export interface Look {
  /** The suffix of its classes in the style sheet. */
  name: string
  /** Colour on light screens and on paper. */
  light: string
  /** Colour on dark screens. */
  dark: string
  /** SVG's stroke-dasharray; a solid line without it. */
  dash?: string
  /** Width of the line in pixels. */
  width: number
}

/**
 * The paper's solver is blue, darker for larger c (lighter on dark screens); the fast solver is vermilion.
 */
export const looks = {
  smallSample: { name: 'small-sample', light: '#56b4e9', dark: '#3f8fc4', dash: '1.5 2.5', width: 2 },
  middleSample: { name: 'middle-sample', light: '#0072b2', dark: '#6cc0f0', dash: '6 3', width: 1.8 },
  largeSample: { name: 'large-sample', light: '#003f6b', dark: '#d3ecff', width: 1.8 },
  paper: { name: 'paper', light: '#0072b2', dark: '#6cc0f0', width: 1.8 },
  fast: { name: 'fast', light: '#d55e00', dark: '#ff8f45', width: 2.2 },
  patches: { name: 'patches', light: '#009e73', dark: '#35cfa0', width: 1.8 },
} as const satisfies Record<string, Look>

/** Colours of text. */
export const INK = { light: '#1f2328', dark: '#e6edf3' }

/** The look of the paper's solver for each sample fraction c, from the smallest to the largest. */
export function sampleLooks(samples: readonly number[]): Map<number, Look> {
  const order: Look[] = [looks.smallSample, looks.middleSample, looks.largeSample]
  const sorted = [...samples].sort((a, b) => a - b)
  return new Map(
    sorted.map((sample, i) => [
      sample,
      order[sorted.length === 1 ? 1 : Math.round((i * 2) / (sorted.length - 1))],
    ]),
  )
}

/**
 * Options of a mark of Observable Plot: the stroke of a look, with the class that the style sheet selects.
 */
export const stroke = (look: Look, dash = look.dash) => ({
  ...{ stroke: look.light, strokeWidth: look.width, className: `stroke-${look.name}` },
  ...(dash === undefined ? {} : { strokeDasharray: dash }),
})
/** Options of a mark of Observable Plot: the fill of a look, with the class that the style sheet selects. */
export const fill = (look: Look, fillOpacity = 1) => ({
  ...{ fill: look.light, fillOpacity, className: `fill-${look.name}` },
})

/** The colours of all looks for a theme, as CSS. */
const colourRules = (theme: 'light' | 'dark'): string =>
  Object.values(looks)
    .map(
      (look) =>
        `.lacuna-figure .stroke-${look.name}{stroke:${look[theme]}}.lacuna-figure .fill-${look.name}{fill:${look[theme]}}`,
    )
    .join('')

/**
 * The style sheet inside a figure. The attribute `data-theme` of an element around it overrides the screen's
 * preference.
 */
export const styleSheet = `.lacuna-figure{color:${INK.light};font:${FONT_SIZE}px ${FONT}}
@media (prefers-color-scheme: dark){.lacuna-figure{color:${INK.dark}}${colourRules('dark')}}
[data-theme=light] .lacuna-figure{color:${INK.light}}${themedRules('light')}
[data-theme=dark] .lacuna-figure{color:${INK.dark}}${themedRules('dark')}`

/** The rules of a theme, limited to elements inside `data-theme`. */
function themedRules(theme: 'light' | 'dark'): string {
  return colourRules(theme).replaceAll('.lacuna-figure', `[data-theme=${theme}] .lacuna-figure`)
}
