/** report.html: one file that reads like the paper's section, with its figures and every number in it. */

import { escapeHtml, htmlPage } from 'lacuna-figures/report'
import type { Claim, PaperResults } from 'lacuna-figures/results'
import { formatCount, formatList } from '../../print/format.ts'
import { formatDims } from '../numbers.ts'
import { describeObservations } from './observations.ts'
import type { RenderedFigure } from './render.ts'
import { css } from './style.ts'
import { type Table, tablesOf } from './tables.ts'

/** Returns the whole page: claims, a section per experiment with results, all numbers, the machine. */
export function reportHtml(results: PaperResults, figures: readonly RenderedFigure[]): string {
  const { scale, claims } = results
  const body = [
    '<h1>Numerical experiments</h1>',
    paragraph(
      `The experiments of <cite>Accelerated Stochastic Gradient for Nonnegative Tensor Completion and Parallel Implementation</cite> (Siaminou, Papagiannakos, Kolomvakis and Liavas), done again with lacuna ${escapeHtml(results.lacuna)} at scale <b>${scale}</b>, for the paper's solver and for lacuna's own, <i>fast</i>. An epoch accesses as many entries as there are; MAX_INNER = 1 throughout, as in the paper.`,
    ),
    claimList(claims),
    imageSection(results, figures),
    convergenceSection(results, figures),
    timingSection(results, figures),
    '<h2>All numbers</h2>',
    paragraph(
      'Single trials and whole curves are in <code>results.json</code> beside this page. What is “auto” was chosen by the method.',
    ),
    ...tablesOf(results).map(tableHtml),
    '<h2>The machine</h2>',
    machineHtml(results),
  ]
  return htmlPage({
    title: `Lacuna: the paper's experiments (${scale})`,
    css,
    body: body.filter((part) => part !== '').join('\n'),
  })
}

/** HTML of the section of figure 1; empty without results. */
function imageSection(results: PaperResults, figures: readonly RenderedFigure[]): string {
  const { image, settings, claims } = results
  if (!image) return ''
  const { rank, sample, lambda, epochs, missing } = settings.image
  const [height, width, channels] = image.data.dims
  const source = image.data.source === 'drawn' ? 'one that lacuna draws itself' : image.data.source
  return section('1. A corrupted picture', figures, [1], {
    setting: `The picture is ${escapeHtml(source)}, ${height} × ${width} × ${channels}; ${Math.round(100 * missing)}% of its values, chosen one by one, are hidden. The paper's solver runs ${epochs} epochs with c = ${sample}, R = ${rank} and λ = ${lambda} on values between 0 and 1. The fast solver has the same tensor and rank, and chooses c, λ and its end. “Patches” is what <code>lacuna image</code> does by default: the fast solver on overlapping patches of the picture.`,
    caption: `Figure 1. The picture, what was left of it, and what came back; below, the relative error on hidden values.`,
    observed: describeObservations(results).image,
    claims: claims.filter(({ figure }) => figure === 1),
  })
}

/** HTML of the section of figure 2; empty without results. */
function convergenceSection(results: PaperResults, figures: readonly RenderedFigure[]): string {
  const { convergence, settings, claims } = results
  if (!convergence) return ''
  const { rank, samples, lambda, epochs } = settings.convergence
  const synthetic = convergence.problems.filter(({ snrDb }) => snrDb !== null)
  const real = convergence.problems.find(({ snrDb }) => snrDb === null)
  const made = synthetic.length
    ? `${formatList(synthetic.map(({ name, snrDb }) => `${name} (${snrDb} dB)`))} ${synthetic.length > 1 ? 'are' : 'is'} ${formatDims(synthetic[0].data.dims)} with ${formatCount(synthetic[0].data.entries)} entries observed: rank-${rank} tensors with factors from U[0, 1] and Gaussian noise, new ones in every trial.`
    : ''
  const given = real
    ? ` T is ${escapeHtml(real.data.source)}: ${formatDims(real.data.dims)}, ${formatCount(real.data.entries)} entries, and ${formatCount(real.hiddenEntries)} hidden.`
    : ''
  const trials = Math.max(...convergence.problems.flatMap(({ series }) => series.map((s) => s.trials.length)))
  return section('2. Speed of convergence', figures, [2], {
    setting: `${made}${given} R = ${rank}, at most ${epochs} epochs, λ = ${lambda} and c = ${formatList(samples.map(String))} for the paper's solver; the fast one chooses both. Lines are means over ${trials} ${trials === 1 ? 'trial' : 'trials'}, bands reach from the smallest to the largest; the dot is where the fast solver ended.`,
    caption: `Figure 2. Relative error on the observed entries against epochs, as in the paper, and on hidden entries against seconds of updates.`,
    observed: describeObservations(results).convergence,
    claims: claims.filter(({ figure }) => figure === 2),
  })
}

/** HTML of the section of figures 3 and 4; empty without results. */
function timingSection(results: PaperResults, figures: readonly RenderedFigure[]): string {
  const { timing, settings, claims } = results
  if (!timing) return ''
  const { sample, ranks } = settings.timing
  const data = timing.problems.map(
    ({ name, data }) =>
      `${name} is ${data.source === 'synthetic' ? 'synthetic and noiseless' : escapeHtml(data.source)}, ${formatDims(data.dims)} with ${formatCount(data.entries)} entries`,
  )
  const trials = Math.max(...timing.problems.flatMap(({ series }) => series.map((s) => s.seconds.length)))
  return section('3. Time and threads', figures, [3, 4], {
    setting: `${data.join('. ')}. One epoch (${Math.round(1 / sample)} AO iterations with c = ${sample}) for R = ${formatList(ranks.map(String))}, ${trials} ${trials === 1 ? 'trial' : 'trials'} each, after one epoch that is not counted; solvers and numbers of threads take turns. The fast solver has c fixed at ${sample} too: it solves for rows up to R = 24 and takes gradient steps under a bound above.`,
    caption: `Figures 3 and 4. Seconds per epoch, and how many times faster than one thread; vertical strokes reach from the smallest to the largest trial, the dotted line is the ideal.`,
    observed: describeObservations(results).timing,
    claims: claims.filter(({ figure }) => figure === 4),
  })
}

/** Contents of the section of an experiment. */
interface SectionContent {
  /** HTML of the experiment's setting. */
  setting: string
  caption: string
  /** Observations as sentences of plain text. */
  observed: readonly string[]
  claims: readonly Claim[]
}

/** HTML of a section: setting, figures, observations, claims. @param numbers the figures that it shows */
function section(
  title: string,
  figures: readonly RenderedFigure[],
  numbers: readonly number[],
  { setting, caption, observed, claims }: SectionContent,
): string {
  const drawn = figures.filter(({ number }) => numbers.includes(number)).map(({ svg }) => svg)
  return [
    `<section><h2>${title}</h2>`,
    `<p><b>Setting.</b> ${setting}</p>`,
    `<figure>${drawn.join('\n')}<figcaption>${caption}</figcaption></figure>`,
    `<p><b>Observed.</b> ${observed.map(escapeHtml).join(' ')}</p>`,
    ...claims.map(claimHtml),
    '</section>',
  ].join('\n')
}

/** Verdicts on a claim, in words. */
const VERDICTS = { holds: 'holds here', fails: 'does not hold here', untested: 'not tested here' }

/** HTML of a claim with its verdict and evidence. */
const claimHtml = ({ statement, verdict, evidence }: Claim): string =>
  `<div class="claim ${verdict}"><p><span class="verdict">${VERDICTS[verdict]}</span> <b>${escapeHtml(statement)}</b></p><p>${escapeHtml(evidence)}</p></div>`

/** HTML of the list of all claims with their verdicts; empty without claims. */
function claimList(claims: readonly Claim[]): string {
  const items = claims.map(
    ({ statement, verdict }) =>
      `<li class="${verdict}"><span class="verdict">${VERDICTS[verdict]}</span> ${escapeHtml(statement)}</li>`,
  )
  return claims.length > 0 ? `<h2>The paper's claims</h2><ul class="claims">${items.join('')}</ul>` : ''
}

/** HTML of a table with its title. */
function tableHtml({ title, rows: [head, ...rows] }: Table): string {
  const cells = (tag: string, row: readonly string[]): string =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  return `<h3>${escapeHtml(title)}</h3><div class="wide"><table><thead>${cells('th', head)}</thead><tbody>${rows.map((row) => cells('td', row)).join('')}</tbody></table></div>`
}

/** HTML of a paragraph about the machine, the seed and the peak memory of each problem. */
function machineHtml({ machine, seed, convergence, timing }: PaperResults): string {
  const { cpu, cores, memoryBytes, platform, node } = machine
  const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`
  const peaks = [...(convergence?.problems ?? []), ...(timing?.problems ?? [])]
  const peak = peaks.map((problem) => `${problem.name} ${gib(problem.peakMemoryBytes)}`)
  return paragraph(
    `${escapeHtml(cpu)}, ${cores} ${cores === 1 ? 'core' : 'cores'}, ${gib(memoryBytes)} of memory, ${escapeHtml(platform)}, Node ${escapeHtml(node)}. Seed ${seed}.${peak.length > 0 ? ` Most memory taken by the process when each problem was done: ${formatList(peak)}.` : ''}`,
  )
}

const paragraph = (html: string): string => `<p>${html}</p>`
