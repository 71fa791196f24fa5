/** Descriptions of runs in words and numbers, for the list of runs and their comparison. */
import { formatNumber, formatPercent, formatSeconds } from 'lacuna-figures/numbers'
import type { LearnSettings } from '../protocol.ts'
import type { RunRecord } from '../state/index.ts'

/** A line of a comparison: what is compared, and its value for each run. */
export interface ComparedLine {
  name: string
  values: string[]
}

/** Names of the settings, in the order in which they are shown. */
const settingNames: readonly { key: keyof LearnSettings; name: string; format?(value: never): string }[] = [
  { key: 'rank', name: 'Rank' },
  { key: 'seconds', name: 'Time limit', format: (seconds: number) => `${seconds} s` },
  { key: 'folds', name: 'Folds' },
  { key: 'lambda', name: 'λ', format: (lambda: number | 'auto') => String(lambda) },
  { key: 'heldOut', name: 'Held out', format: formatPercent },
  { key: 'seed', name: 'Seed' },
  { key: 'noise', name: 'Noise' },
  { key: 'loss', name: 'Loss' },
  { key: 'link', name: 'Link' },
  { key: 'missing', name: 'Missing' },
  { key: 'lags', name: 'Lags' },
  { key: 'features', name: 'Attributes' },
]

/** The settings of a run by their names; those that were not set are left out. */
export function listSettings({ settings, kind }: RunRecord): { name: string; value: string }[] {
  if (!settings) return []
  return settingNames.flatMap(({ key, name, format }) => {
    // The best run searches the rank; the quick one has a time limit only if it does.
    const hasLimit = kind === 'best' || settings.rank === 'auto'
    const isUnused = key === 'seconds' ? !hasLimit : kind === 'best' && (key === 'rank' || key === 'folds')
    if (isUnused) return []
    const value = settings[key]
    if (value === undefined) return []
    return [{ name, value: format ? format(value as never) : String(value) }]
  })
}

/** The settings of a run as one line. */
export const describeSettings = (run: RunRecord): string =>
  [
    run.kind === 'best' ? 'Best' : 'Quick',
    ...listSettings(run).map(({ name, value }) => `${name.toLowerCase()} ${value}`),
  ].join(', ')

/** The error of a run on entries that its model has not seen; undefined if none were held out. */
export const scoreOf = ({ model }: RunRecord): number | undefined =>
  model?.verdict?.rmse ?? model?.outOfFold?.rmse

/** The seconds that a run took. */
export const secondsOf = ({ history }: RunRecord): number | undefined => history.at(-1)?.seconds

/** Compares two runs line by line: settings that differ, how the file was read, and scores. */
export function compareRuns(a: RunRecord, b: RunRecord): ComparedLine[] {
  const both = [a, b]
  const settings = both.map((run) => new Map(listSettings(run).map(({ name, value }) => [name, value])))
  const lines = settingNames.map(({ name }) => ({
    name,
    values: settings.map((named) => named.get(name) ?? '–'),
  }))
  const modes = both.map(({ data }) =>
    (data?.summary.modes ?? []).map((mode) => `${mode.size} ${mode.name}`).join(' × '),
  )
  const number = (x: number | undefined): string => (x === undefined ? '–' : formatNumber(x))
  return [
    { name: 'Data', values: modes },
    ...lines,
    { name: 'Negative values', values: both.map(({ data }) => data?.reading.negative ?? '–') },
  ]
    .filter(({ values: [one, other] }) => one !== other)
    .concat([
      { name: 'Error of entries held out (RMSE)', values: both.map((run) => number(scoreOf(run))) },
      { name: 'Error of known entries (RMSE)', values: both.map(({ model }) => number(model?.train?.rmse)) },
      {
        name: 'Time',
        values: both.map((run) => {
          const seconds = secondsOf(run)
          return seconds === undefined ? '–' : formatSeconds(seconds)
        }),
      },
    ])
}

/** Whether the errors of two runs are on the same entries, so that they can be compared. */
export const areComparable = (a: RunRecord, b: RunRecord): boolean =>
  a.data?.id === b.data?.id &&
  a.settings?.heldOut === b.settings?.heldOut &&
  a.settings?.seed === b.settings?.seed
