/** Hook: the settings of the next run, which the address of the page holds. */
import { linkNames, lossNames, noiseNames } from 'lacuna/internal'
import { useSetting } from '../../address.ts'
import type { LearnSettings } from '../protocol.ts'

/** The settings, and a function that changes some of them. */
export interface LearnChoices {
  settings: LearnSettings
  change(changes: Partial<Omit<LearnSettings, 'features'>>): void
}

/** The largest rank that can be set. */
export const MOST_RANK = 64

/** Settings of an example, by their names in the address, as settings of a run. */
export function settingsOfExample(
  named: Readonly<Record<string, string | number>>,
): Partial<Omit<LearnSettings, 'features'>> {
  const { rank, lambda, heldout, seed } = named
  return {
    ...(rank !== undefined && { rank: Number(rank) }),
    ...(lambda !== undefined && { lambda: lambda === 'auto' ? 'auto' : Number(lambda) }),
    ...(heldout !== undefined && { heldOut: Number(heldout) / 100 }),
    ...(seed !== undefined && { seed: Number(seed) }),
  }
}

/**
 * The settings of a run as changes of the panel: what the run did not set is set to its default. Attributes are
 * those of the tables that are there.
 */
export const settingsToShow = ({
  features: _,
  ...settings
}: LearnSettings): Partial<Omit<LearnSettings, 'features'>> => ({
  ...{ folds: undefined, noise: undefined, loss: undefined, link: undefined },
  ...{ missing: undefined, lags: undefined },
  ...settings,
})

/** Whether a text is 'auto' or a number of at least `min` and at most `max`. */
const isAutoOr = (min: number, max: number) => (text: string) =>
  text === 'auto' || (text.trim() !== '' && Number(text) >= min && Number(text) <= max)

/**
 * Reads the settings from the address, as in #complete?rank=8&heldout=20. Values that are not possible are
 * clamped or refused.
 * @param onFault called with a sentence about such a value
 * @param countsRows whether the values are counts of rows: then cells without a row are zeros, unless chosen otherwise
 */
export function useLearnSettings(onFault: (sentence: string) => void, countsRows: boolean): LearnChoices {
  /** A text that is one of some names, or empty for the default. */
  const useName = (name: string, names: readonly string[]) =>
    useSetting<string>('complete', name, '', { isAllowed: (text) => names.includes(text), onFault })
  const [rank, setRank] = useSetting<string>('complete', 'rank', '6', {
    isAllowed: (text) => text === 'auto' || (isAutoOr(1, MOST_RANK)(text) && Number.isInteger(Number(text))),
    onFault,
  })
  const [lambda, setLambda] = useSetting<string>('complete', 'lambda', 'auto', {
    isAllowed: isAutoOr(0, 1e9),
    onFault,
  })
  const number = { isWhole: true, onFault }
  const [heldOut, setHeldOut] = useSetting<number>('complete', 'heldout', 10, { min: 0, max: 50, ...number })
  const [seed, setSeed] = useSetting<number>('complete', 'seed', 1, { min: 0, max: 2 ** 31, ...number })
  const [seconds, setSeconds] = useSetting<number>('complete', 'seconds', 60, {
    min: 1,
    max: 3600,
    ...number,
  })
  const [folds, setFolds] = useSetting<number>('complete', 'folds', 1, { min: 1, max: 20, ...number })
  const [noise, setNoise] = useName('noise', noiseNames)
  const [loss, setLoss] = useName('loss', lossNames)
  const [link, setLink] = useName('link', linkNames)
  const [missing, setMissing] = useName('missing', ['zero', 'unknown'])
  const [lags, setLags] = useSetting<string>('complete', 'lags', '')
  const setters: { [name in keyof Omit<LearnSettings, 'features'>]-?: (value: never) => void } = {
    rank: (value: number | 'auto') => setRank(String(value)),
    lambda: (value: number | 'auto') => setLambda(String(value)),
    heldOut: (value: number) => setHeldOut(Math.round(100 * value)),
    seed: setSeed,
    seconds: setSeconds,
    folds: (value = 1) => setFolds(value),
    noise: (value = '') => setNoise(value),
    loss: (value = '') => setLoss(value),
    link: (value = '') => setLink(value),
    missing: (value = 'unknown') => setMissing(value === (countsRows ? 'zero' : 'unknown') ? '' : value),
    lags: (value = '') => setLags(value),
  }
  const isZero = missing === '' ? countsRows : missing === 'zero'
  const given = { noise, loss, link, missing: isZero ? 'zero' : '', lags: lags.trim() }
  const named = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''))
  return {
    settings: {
      rank: rank === 'auto' ? 'auto' : Number(rank),
      lambda: lambda === 'auto' ? 'auto' : Number(lambda),
      heldOut: heldOut / 100,
      ...{ seed, seconds },
      ...(folds > 1 && { folds }),
      ...named,
    },
    change(changes) {
      for (const [name, value] of Object.entries(changes))
        setters[name as keyof typeof setters](value as never)
    },
  }
}
