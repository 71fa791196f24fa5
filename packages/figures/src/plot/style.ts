/**
 * One style for all figures, in print and on screen. Colours are of the Okabe–Ito palette, or shades of its blue, and no
 * two series differ by colour alone. Attributes carry the light colours, so that any program shows them; a style sheet
 * within the figure changes them where the reader's screen is dark.
 */
export const FONT = 'system-ui, "Helvetica Neue", Arial, "DejaVu Sans", sans-serif'
export const FONT_SIZE = 12
/** Figures are drawn this wide: at a column's width of 9 cm their text is of 6 points. */
export const WIDTH = 520

/** How a series looks. */
export interface Look {
  /** Names it in the style sheet. */
  name: string
  light: string
  dark: string
  dash?: string
  width: number
}

/** The paper's solver is blue, darker for larger c (on dark ground lighter); the fast one vermilion. */
export const looks = {
  smallSample: { name: 'small-sample', light: '#56b4e9', dark: '#3f8fc4', dash: '1.5 2.5', width: 2 },
  middleSample: { name: 'middle-sample', light: '#0072b2', dark: '#6cc0f0', dash: '6 3', width: 1.8 },
  largeSample: { name: 'large-sample', light: '#003f6b', dark: '#d3ecff', width: 1.8 },
  paper: { name: 'paper', light: '#0072b2', dark: '#6cc0f0', width: 1.8 },
  fast: { name: 'fast', light: '#d55e00', dark: '#ff8f45', width: 2.2 },
  patches: { name: 'patches', light: '#009e73', dark: '#35cfa0', width: 1.8 },
} as const satisfies Record<string, Look>

export const INK = { light: '#1f2328', dark: '#e6edf3' }

/** Looks of the paper's solver for each c, from the smallest to the largest. */
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

/** For marks of Observable Plot: strokes and fills that the style sheet can find. */
export const stroke = (look: Look, dash = look.dash) => ({
  ...{ stroke: look.light, strokeWidth: look.width, className: `stroke-${look.name}` },
  ...(dash === undefined ? {} : { strokeDasharray: dash }),
})
export const fill = (look: Look, fillOpacity = 1) => ({
  ...{ fill: look.light, fillOpacity, className: `fill-${look.name}` },
})

const rules = (of: 'light' | 'dark'): string =>
  Object.values(looks)
    .map(
      (look) =>
        `.lacuna-figure .stroke-${look.name}{stroke:${look[of]}}.lacuna-figure .fill-${look.name}{fill:${look[of]}}`,
    )
    .join('')

/**
 * The style sheet within a figure. `data-theme` on any element around it overrides what the screen prefers.
 */
export const styleSheet = `.lacuna-figure{color:${INK.light};font:${FONT_SIZE}px ${FONT}}
@media (prefers-color-scheme: dark){.lacuna-figure{color:${INK.dark}}${rules('dark')}}
[data-theme=light] .lacuna-figure{color:${INK.light}}${scoped('light')}
[data-theme=dark] .lacuna-figure{color:${INK.dark}}${scoped('dark')}`

function scoped(theme: 'light' | 'dark'): string {
  return rules(theme).replaceAll('.lacuna-figure', `[data-theme=${theme}] .lacuna-figure`)
}
