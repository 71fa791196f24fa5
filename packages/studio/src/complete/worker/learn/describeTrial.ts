/** The settings of a trial in words, with the names of modes. */
import type { SparseTensor } from 'lacuna'
import type { trialName } from 'lacuna/internal'
import { modeTitle } from '../summary.ts'

/** The settings of a trial. */
type TriedSettings = Parameters<typeof trialName>[0]
/** The names of a tensor's modes. */
type Named = Pick<SparseTensor, 'modes'>

const noiseWords: Readonly<Record<string, string>> = {
  gaussian: 'the same noise everywhere',
  poisson: 'noise that grows with the value',
  row: 'noise that differs by row',
}
const linkWords: Readonly<Record<string, string>> = {
  sqrt: 'learned on √x',
  log1p: 'learned on log(1 + x)',
}

/** The settings of a trial: `rank 8, day and hour as one mode, rows 1, 24 and 168 apart in hour similar`. */
export function describeTrial(trial: TriedSettings, tensor: Named): string {
  const { rank, lambda, noise, link, lags, timePrior, features, merged, split } = trial
  return (
    [
      ...(rank === undefined ? [] : [`rank ${rank}`]),
      ...(noise === 'auto' ? [] : [noiseWords[noise] ?? `noise ${noise}`]),
      ...(lambda === undefined ? [] : [`λ ${Number(lambda.toPrecision(3))}`]),
      ...(link ? [linkWords[link] ?? `link ${link}`] : []),
      ...(merged ? merged.split(' ').map((group) => describeMerged(group, tensor)) : []),
      ...(split ? split.split(' ').map((one) => describeSplit(one, tensor)) : []),
      ...(lags === true ? ['rows near in time similar'] : []),
      ...(typeof lags === 'string' && lags !== '' ? describeLags(lags, tensor) : []),
      ...(lags && timePrior === 'autoregressive' ? ['each following from those before'] : []),
      ...(features ? ['attributes'] : []),
    ].join(', ') || 'as given'
  )
}

/** The name of a mode by its number from 1. */
const nameOf = (number: string, tensor: Named): string => modeTitle(tensor, Number(number) - 1)

/** Texts with commas and 'and': 1, 24 and 168. */
const listOf = (texts: readonly string[]): string =>
  texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`

/** Merged modes, as in `2,3`. */
const describeMerged = (group: string, tensor: Named): string =>
  `${listOf(group.split(',').map((number) => nameOf(number, tensor)))} as one mode`

/** A split mode, as in `3:24` or `3:7x24+5`. */
function describeSplit(text: string, tensor: Named): string {
  const [, number = '', lengths = ''] = /^(\d+):([\dx]+)/.exec(text) ?? []
  return `${nameOf(number, tensor)} split into blocks of ${listOf(lengths.split('x'))}`
}

/** Lags, as in `hour=1,24` or, of modes by their numbers, `3+2=1,24`. */
const describeLags = (text: string, tensor: Named): string[] =>
  Array.from(text.matchAll(/(\S.*?)=(\d+(?:,\d+)*)(?: |$)/g), ([, mode, distances]) => {
    const name = /^\d+(\+\d+)*$/.test(mode)
      ? mode
          .split('+')
          .map((number) => nameOf(number, tensor))
          .join(' × ')
      : mode
    return `rows ${listOf(distances.split(','))} apart in ${name} similar`
  })
