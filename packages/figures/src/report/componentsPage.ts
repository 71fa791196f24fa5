/** The HTML page of a model's components (`lacuna components --html`). */
import { type FactorView, factorView, linkScaleNames, type TensorModel } from 'lacuna/internal'
import { formatCount, formatNumber } from '../numbers.ts'
import { css } from './componentsStyle.ts'
import { coursePlot } from './coursePlot.ts'
import type { ComponentDescription, ModelDescription } from './describeComponents.ts'
import { escapeHtml, htmlPage } from './htmlPage.ts'
import { crossMap, pointMap } from './mapPlot.ts'

/** Options of componentsPage. */
export interface PageOptions {
  /** Heading of the page. */
  title: string
  /** Document in which Observable Plot draws. */
  document: Document
  /** Sentences about how far the model can be trusted, as plain text. */
  remarks?: readonly string[]
  /** Number of components that are shown at once; the others are collapsed (default: 12). */
  shown?: number
}

/**
 * Returns an HTML page with a card for each component: its share, a sentence, and a plot or list of rows per
 * mode.
 */
export function componentsPage(
  model: TensorModel,
  description: ModelDescription,
  { title, document, remarks = [], shown = 12 }: PageOptions,
): string {
  const learned = factorView(model)
  const cards = description.components.map((component) =>
    componentCard(learned, description, component, document),
  )
  const rest = cards.slice(shown)
  const more = `<details><summary>${rest.length} more, which explain less</summary><div class="cards">${rest.join('\n')}</div></details>`
  const body = `<h1>${escapeHtml(title)}</h1>
${introduction(model, learned, description)}
${remarks.map((remark) => `<p>${escapeHtml(remark)}</p>`).join('\n')}
<div class="cards">
${cards.slice(0, shown).join('\n')}
</div>
${rest.length > 0 ? more : ''}
<footer>Made with Lacuna. Everything on this page is in it: it can be kept, sent and printed.</footer>`
  return htmlPage({ title, css, body })
}

/**
 * HTML above the cards: sizes, training entries, a bar of the components' shares, and how to read the cards.
 */
function introduction(
  { observed, members }: TensorModel,
  { dims }: FactorView,
  { modes, components }: ModelDescription,
): string {
  const [{ rank, link }] = members
  const scale = link ? ` ${linkScaleNames[link.name]}` : ''
  const sizes = modes.map(({ title }, mode) => `${formatCount(dims[mode])} of <b>${escapeHtml(title)}</b>`)
  const training = observed
    ? ` Learned from ${formatCount(observed.entries)} entries between ${formatNumber(observed.min)} and ${formatNumber(observed.max)}.`
    : ''
  const bars = components
    .map(
      ({ number, share }) =>
        `<a href="#c${number}" style="flex-grow:${(100 * share).toFixed(3)}" title="component ${number}: ${formatShare(share)}"><span>${share > 0.03 ? number : ''}</span></a>`,
    )
    .join('')
  const hasCourse = modes.some(({ kind }) => kind.kind === 'ordered' && kind.place === undefined)
  const legend = hasCourse
    ? ' In the courses the area is the component and the line is all of them together, both relative to their means.'
    : ''
  const map = modes.some(({ kind }) => kind.place)
    ? ` On the maps grey is everything, and colour is the component.${modes.some(({ kind }) => kind.place === 'latitude') ? ' Latitude and longitude were learned apart, so that a component is stripes; learn places as pairs (--merge-modes) for maps of places.' : ''}`
    : ''
  const answer =
    members.length > 1
      ? `The model is the first of ${members.length}, each learned without some of the entries, and predicts the sum of its components${scale}; the answer is the mean of all models. A component is found in another one if the columns of both are alike in every mode.`
      : `What is predicted is their sum${scale}.`
  return `<p class="lead">${rank} components of a model of ${sizes.join(', ')}.${training} ${answer}</p>
<div class="shares" aria-label="shares of the components">${bars}</div>
<p class="soft">A component's share is its part in all that is predicted. Rows are named that are special about it: ×3 beside a row means that the component is three times as large a part of its predictions as of all${observed ? '; the small number is how many entries the row has' : ''}.${legend}${map}</p>`
}

/** HTML of one component: number, share, a sentence, and a panel for each mode. */
function componentCard(
  model: FactorView,
  description: ModelDescription,
  component: ComponentDescription,
  document: Document,
): string {
  const { number, share, sentence, found } = component
  const isFound = found
    ? ` <span class="found${found.in === found.of ? '' : ' shaky'}">found in ${found.in} of ${found.of}</span>`
    : ''
  const panels = description.modes.map((_, mode) => modePanel(model, description, component, mode, document))
  return `<section class="card" id="c${number}">
<h2><span>${number}${isFound}</span><span class="share">${formatShare(share)}</span></h2>
<p class="sentence">${escapeHtml(capitalize(sentence))}</p>
<div class="parts">${panels.filter((panel) => panel !== '').join('\n')}</div>
</section>`
}

/**
 * HTML of one mode of a component: a map for latitude and longitude together, the course of an ordered mode,
 * or a list of the strongest rows. Empty for longitude, which the map of latitude shows.
 */
function modePanel(
  model: FactorView,
  { modes, meanCourses, components }: ModelDescription,
  { column, modes: described }: ComponentDescription,
  mode: number,
  document: Document,
): string {
  const { title, kind } = modes[mode]
  const { course, rows } = described[mode]
  if (kind.place === 'longitude') return ''
  if (kind.place === 'point') {
    const map = pointMap({
      ...kind.points!,
      total: totalPerRow(model, mode),
      component: columnOf(model, mode, column),
      counts: model.counts[mode],
    })
    return `<div class="part wide"><h3>${escapeHtml(title)}</h3>${map}</div>`
  }
  if (kind.place === 'latitude') {
    const other = modes.findIndex((each) => each.kind.place === 'longitude')
    const { members, counts, dims } = model
    const [{ rank, factors }] = members
    const weights = productOfSums(model, [mode, other])
    const map = crossMap({
      latitudes: kind.positions!,
      longitudes: modes[other].kind.positions!,
      counts: [
        counts[mode] ?? new Uint8Array(dims[mode]).fill(1),
        counts[other] ?? new Uint8Array(dims[other]).fill(1),
      ],
      total: (i, j) => {
        let sum = 0
        for (const { column: r } of components)
          sum += weights[r] * factors[mode][i * rank + r] * factors[other][j * rank + r]
        return sum
      },
      component: (i, j) => factors[mode][i * rank + column] * factors[other][j * rank + column],
    })
    return `<div class="part wide"><h3>${escapeHtml(title)} and ${escapeHtml(modes[other].title)}</h3>${map}</div>`
  }
  if (course) {
    const plot = coursePlot(
      {
        positions: kind.positions!,
        isTime: kind.isTime,
        course,
        meanCourse: meanCourses[mode],
        counts: model.counts[mode],
      },
      document,
    )
    return `<div class="part"><h3>${escapeHtml(title)}</h3>${plot}</div>`
  }
  const items = rows.map(
    ({ name, weight, lift, entries }) =>
      `<li><span class="bar" style="width:${(100 * weight).toFixed(1)}%"></span><span class="name">${escapeHtml(name)}</span>` +
      `<span class="lift">×${lift.toFixed(1)}${entries === undefined ? '' : `<small> ${formatCount(entries)}</small>`}</span></li>`,
  )
  return `<div class="part"><h3>${escapeHtml(title)}</h3><ol>${items.join('')}</ol></div>`
}

/**
 * Value of all components together at each row of a mode, averaged over the other modes up to a factor; 0 in
 * rows without entries.
 */
export function totalPerRow(model: FactorView, mode: number): Float64Array {
  const [{ rank, factors }] = model.members
  const weights = productOfSums(model, [mode])
  const total = Float64Array.from({ length: model.dims[mode] }, (_, row) => {
    let sum = 0
    for (let r = 0; r < rank; r++) sum += weights[r] * factors[mode][row * rank + r]
    return sum
  })
  for (const row of model.unobserved[mode]) total[row] = 0
  return total
}

/** Column of a factor (P). */
function columnOf(
  { members: [{ rank, factors }], dims }: FactorView,
  mode: number,
  column: number,
): Float64Array {
  return Float64Array.from({ length: dims[mode] }, (_, row) => factors[mode][row * rank + column])
}

/**
 * For each component, the product over the modes of the sums of its column, rows weighted by their numbers of
 * entries (R): proportional to its mean over these modes.
 * @param excludedModes modes that are left out of the product
 */
function productOfSums(
  { members, counts, dims }: FactorView,
  excludedModes: readonly number[],
): Float64Array {
  const [{ rank, factors }] = members
  const weights = new Float64Array(rank).fill(1)
  factors.forEach((factor, mode) => {
    if (excludedModes.includes(mode)) return
    const sums = new Float64Array(rank)
    for (let row = 0; row < dims[mode]; row++)
      for (let r = 0; r < rank; r++) sums[r] += (counts[mode]?.[row] ?? 1) * factor[row * rank + r]
    for (let r = 0; r < rank; r++) weights[r] *= sums[r]
  })
  return weights
}

/** Formats a share as a percentage: one decimal below 10%, 'less than 0.1%' below 0.05%. */
const formatShare = (share: number): string =>
  share < 0.0005 ? 'less than 0.1%' : `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`
const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
