/** --lags, --features and --choose: parsers of side information, and reports of the trials. */
import { InvalidArgumentError } from 'commander'
import { InputError, type RunOptions, type RunState, type SparseTensor } from 'lacuna'
import {
  attributesOf,
  type Choice,
  type FeatureSets,
  featuresDigest,
  type Lags,
  type LinkName,
  labelOf,
  linkScaleNames,
  modeName,
  modeNumber,
  option,
  readColumnsByLabel,
  sentence,
  trialName,
} from 'lacuna/internal'
import { type Assignment, assignment } from '../../options/rowNames.ts'
import { formatCount, formatNumber, formatTable } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'

/**
 * Parses a value of --lags, such as time=1,24, and merges it with the previous ones; distances are unique.
 */
export function parseLags(text: string, previous: Lags = {}): Lags {
  const [{ mode, text: list }] = assignment(text)
  const distances = list?.split(',').map((word) => (/^\s*\d+\s*$/.test(word) ? Number(word) : 0)) ?? []
  if (distances.length === 0 || distances.some((lag) => lag < 1))
    throw new InvalidArgumentError('It must be a mode and distances, as in hour=1,24.')
  return { ...previous, [mode]: [...new Set([...(previous[mode] ?? []), ...distances])] }
}

/** Throws if --choose is given where no prior is learned: trials concern what only a learned prior has. */
export function checkChoose({
  choose,
  solver,
  missing,
  prior,
}: Pick<RunOptions, 'solver' | 'missing' | 'prior'> & { choose?: boolean }): void {
  if (!choose) return
  const other =
    solver === 'paper'
      ? option('solver', solver)
      : missing === 'zero'
        ? option('missing', missing)
        : prior === 'isotropic'
          ? option('prior', prior)
          : undefined
  if (other)
    throw new InputError(
      'option',
      sentence`${option('choose')} tries what goes with a learned prior, and there is none with ${other}; leave one of them out.`,
    )
}

/** Throws if --time-prior autoregressive is given without lags. */
export function checkTimePrior({ timePrior, lags }: Pick<RunOptions, 'timePrior' | 'lags'>): void {
  if (timePrior === 'autoregressive' && !lags)
    throw new InputError(
      'option',
      sentence`${option('timePrior', timePrior)} regresses rows on earlier ones; give ${option('lags')}, the distances to them.`,
    )
}

/**
 * Reads the attributes of --features, as in movieId=movies.csv:genres,year, from other tables, and prints how
 * many there are. Throws if a table has no row of the mode, or no attribute that several rows share.
 * @returns attributes by the name of the mode; undefined if none are given
 */
export async function readFeatures(
  tensor: SparseTensor,
  given: readonly Assignment[],
  progress: Progress,
): Promise<FeatureSets | undefined> {
  if (given.length === 0) return undefined
  const sets: Record<string, FeatureSets[string]> = {}
  for (const { mode: name, text = '' } of given) {
    const mode = modeNumber(tensor, name, option('features'))
    const colon = text.lastIndexOf(':')
    const columns = text
      .slice(colon + 1)
      .split(',')
      .map((column) => column.trim())
    if (colon <= 0 || columns.includes(''))
      throw new InputError(
        'option',
        `--features ${name}${text && `=${text}`}: say where attributes are, as in ${name}=movies.csv:genres.`,
      )
    const path = text.slice(0, colon)
    const key = tensor.modes?.[mode].from?.column ?? modeName(tensor, mode)
    const beside = await readColumnsByLabel(path, [key, modeName(tensor, mode)], columns)
    const rows = Array.from({ length: tensor.dims[mode] }, (_, row) => beside.get(labelOf(tensor, mode, row)))
    if (!rows.some((row) => row))
      throw new InputError(
        'table',
        `${path}: none of its rows is called like a row of ${name}, such as ${labelOf(tensor, mode, 0)}; the column ${key} must have these labels.`,
      )
    const found = attributesOf(columns, rows)
    if (found.columns === 0)
      throw new InputError(
        'table',
        `${path}: ${columns.join(' and ')} say nothing that several rows of ${name} have in common; name other columns.`,
      )
    const unknown = found.unknown > 0 ? `; of ${formatCount(found.unknown)} nothing is known` : ''
    progress.say(
      `${path}: ${formatCount(found.columns)} attributes of ${formatCount(rows.length)} ${modeName(tensor, mode)}${unknown}`,
    )
    sets[name] = { columns: found.columns, values: found.values }
  }
  return sets
}

/**
 * Formats the trials of --choose: what they were measured on, and a table of RMSE, on the scale of the link,
 * with the chosen one marked.
 */
export function choiceReport({ by, entries, trials, chosen }: Choice, link: LinkName): string {
  const rows = trials.map((trial) => [
    trialName(trial),
    formatNumber(trial.rmse),
    trialName(trial) === trialName(chosen) ? 'chosen' : '',
  ])
  const what = by ? `entries, held out by ${by}` : 'validation entries'
  const scale = link === 'identity' ? '' : `, errors ${linkScaleNames[link]}`
  return [`Tried on ${formatCount(entries)} ${what}${scale}:`, formatTable([['', 'RMSE', ''], ...rows])].join(
    '\n',
  )
}

/**
 * Returns the options with noise, lags and features as trials had chosen them when the checkpoint was saved.
 */
export function applyChoice(options: RunOptions, { settings, digest }: RunState): RunOptions {
  const { features, noise = 'auto', lags = {}, ...rest } = options
  const isUsed = features !== undefined && digest.endsWith(featuresDigest(features))
  return {
    ...rest,
    // Settings that the trials could not have chosen are refused by the checkpoint's own check.
    noise: noise === 'auto' ? settings.noise : noise,
    lags: Object.keys(settings.lags).length === 0 ? {} : lags,
    features: isUsed ? features : undefined,
  }
}
