/** Parses lags as the command line writes them. */
import { InputError } from 'lacuna'
import type { Lags } from 'lacuna/internal'

/** Parses lags such as `hour=1,24 day=7`. Throws if they are written otherwise. */
export function parseLags(text: string): Lags {
  const lags: Record<string, number[]> = {}
  for (const part of text.trim().split(/\s+/)) {
    const [, mode, distances] = /^(.+)=(\d+(?:,\d+)*)$/.exec(part) ?? []
    if (mode === undefined)
      throw new InputError('option', `“${part}” is not a lag; write the mode and distances: hour=1,24.`)
    lags[mode] = distances.split(',').map(Number)
  }
  return lags
}
