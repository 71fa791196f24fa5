/**
 * --ordered: modes whose rows are ordered, as in 2,3 or hour:24,day:7, with periods at which rows are
 * similar.
 */
import { InputError, type SparseTensor } from 'lacuna'
import { modeNumber, type Ordered, option, sentence } from 'lacuna/internal'

/**
 * Parses the values of --ordered. The lags of a mode with periods are 1 and the periods, ascending; a mode
 * without periods has no `lags`: they are found later. Throws for an unknown mode or a period that does not
 * fit.
 */
export function parseOrdered(
  texts: readonly string[],
  tensor: Pick<SparseTensor, 'dims' | 'modes'>,
): Ordered[] {
  return texts
    .flatMap((text) => text.split(','))
    .map((typed) => {
      const [, name, periods] = /^(.+?)(?::(\d+(?:\+\d+)*))?$/.exec(typed.trim()) ?? []
      if (name === undefined)
        throw new InputError(
          'option',
          sentence`${option('ordered')} is '${texts.join(' ')}'; give modes, and periods if they have any, as in hour:24,day:7 or hour:24+168.`,
        )
      const mode = modeNumber(tensor, name, option('ordered'))
      if (periods === undefined) return { mode }
      const lags = [...new Set([1, ...periods.split('+').map(Number)])].sort((a, b) => a - b)
      const far = lags.find((lag) => lag < 1 || lag >= tensor.dims[mode])
      if (far !== undefined)
        throw new InputError(
          'option',
          sentence`${option('ordered')} has a period of ${far} for ${name}, which has ${tensor.dims[mode]} rows; a period is at least 1 and smaller than that.`,
        )
      return { mode, lags }
    })
}
