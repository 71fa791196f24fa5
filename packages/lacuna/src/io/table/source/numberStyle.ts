/** How a table writes numbers: decimal and thousands separators, and advice about texts that are nearly numbers. */
import { type OptionMention, option, type Sentence, sentence, setting } from '../../../base/inputError.ts'
import { doubleQuote, escapeRegExp } from '../../text/index.ts'

/** Characters that may stand between groups of three digits; a blank also stands for narrow and fixed ones. */
export type Thousands = ',' | '.' | ' ' | "'"
/** Every thousands separator. */
export const thousandsSigns: readonly Thousands[] = [',', '.', ' ', "'"]

/** How numbers are written. */
export interface NumberStyle {
  /** The decimal separator; a point by default. */
  decimal?: ',' | '.'
  /** The separator between groups of three digits; none by default. */
  thousands?: Thousands
}

/** A class of characters, for a pattern, of a thousands separator. */
const classOf = (sign: Thousands): string =>
  sign === ' ' ? '[ \\u00a0\\u2009\\u202f]' : sign === "'" ? "['’]" : escapeRegExp(sign)

const groupedPatterns = new Map<string, RegExp>()

/**
 * The pattern of a whole number with thousands separators, which may have a fraction after a decimal sign. Compiled once
 * per pair of signs: a guess asks for it at every cell of its sample.
 */
function groupedPattern(sign: Thousands, decimal: ',' | '.'): RegExp {
  const key = sign + decimal
  const known = groupedPatterns.get(key)
  if (known) return known
  const pattern = new RegExp(
    `^\\s*[-+]?\\d{1,3}(${classOf(sign)}\\d{3})+(${escapeRegExp(decimal)}\\d*)?\\s*$`,
  )
  groupedPatterns.set(key, pattern)
  return pattern
}

/**
 * A number as JavaScript writes it: without thousands separators and with a decimal point; a text that is no
 * number of this style stays as it is.
 */
export function plainNumber(text: string, { decimal = '.', thousands }: NumberStyle): string {
  if (thousands !== undefined) {
    if (groupedPattern(thousands, decimal).test(text))
      text = text.replace(new RegExp(classOf(thousands), 'g'), (at) => (at === decimal ? at : ''))
  }
  return decimal === ',' ? replaceDecimalComma(text) : text
}

/** A number with a decimal comma as one with a point; any other text as it is. */
export const replaceDecimalComma = (text: string): string =>
  /^\s*[-+]?(\d+,\d*|,\d+)(e[-+]?\d+)?\s*$/i.test(text) ? text.replace(',', '.') : text

/**
 * The thousands separator with which all texts are numbers, some of them grouped; undefined if there is none. A number
 * such as 0,125 is not grouped: no thousands follow a 0.
 */
export function findThousands(texts: readonly string[]): Thousands | undefined {
  return thousandsSigns.find((sign) => {
    const styles: readonly (',' | '.')[] = sign === ',' ? ['.'] : sign === '.' ? [','] : ['.', ',']
    return styles.some(
      (decimal) =>
        texts.some((text) => groupedPattern(sign, decimal).test(text)) &&
        texts.every((text) => {
          if (/^\s*[-+]?0/.test(text) && groupedPattern(sign, decimal).test(text)) return false
          const plain = plainNumber(text, { decimal, thousands: sign })
          return plain.trim() !== '' && Number.isFinite(Number(plain))
        }),
    )
  })
}

/**
 * Pattern of what may stand before a number: signs of money, alone or behind letters, and names of currencies.
 */
const MONEY = String.raw`(?:[\p{L}]{0,2}\p{Sc}|[#~≈<>]|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|TRY|KRW|kr\.?|Rs\.?|Fr\.?|R)`
/** A number with a unit or a sign of money before or behind it: 483,57 €, 1.07 °C, $5, 12%. */
const MEASURE = new RegExp(
  String.raw`^\s*(?:${MONEY}\s*[-+]?[\d.,]*\d|[-+]?\d[\d.,]*\s*[^\d\s.,+-][^\d]{0,11})\s*$`,
  'u',
)

/**
 * Whether a text is a number with a unit. Letters and digits without a blank between are a code: A12, 4x; words before
 * a number are a name: Room 12.
 */
export const isMeasure = (text: string): boolean =>
  MEASURE.test(text) && !/^\s*([a-z]+\d|\d[\d.,]*[a-z]+\s*$)/i.test(text)

/**
 * The sign before the fraction of a number that has a unit; undefined where the text has no sign, 'either' where its one
 * sign may also stand between thousands, as in 1,234 kg. In 0,125 kg it cannot, since no thousands follow a 0.
 */
function decimalSignOf(text: string): ',' | '.' | 'either' | undefined {
  const number = /[\d.,]*\d/.exec(text)?.[0] ?? ''
  const signs = number.replace(/\d/g, '')
  const last = signs.at(-1) as ',' | '.' | undefined
  if (last === undefined) return undefined
  // One sign again and again stands between thousands; of two, the last one is before the fraction.
  if (signs.length > 1) return [...signs].every((sign) => sign === last) ? otherSign(last) : last
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(number) ? 'either' : last
}

const otherSign = (sign: ',' | '.'): ',' | '.' => (sign === ',' ? '.' : ',')

/**
 * The sign before the fractions of numbers that have units; undefined where no text has a sign, 'either' where texts
 * leave it open or differ.
 */
export function findDecimalSign(texts: readonly string[]): ',' | '.' | 'either' | undefined {
  const signs = new Set(texts.map(decimalSignOf))
  signs.delete(undefined)
  if (signs.size > 1) signs.delete('either')
  return signs.size > 1 ? 'either' : [...signs][0]
}

/**
 * The advice for texts that are no numbers but nearly such, to follow a semicolon: the thousands separator, or
 * SQL that removes a unit. Undefined for any other texts.
 * @param column the name of the column
 * @param style what is known of how the table writes numbers, where the texts leave it open
 */
export function adviseNumber(
  texts: readonly string[],
  column: string,
  { decimal, thousands }: NumberStyle = {},
): Sentence | undefined {
  const grouping = findThousands(texts)
  if (grouping !== undefined)
    return sentence`say with ${option('thousands', grouping)} what stands between thousands`
  if (!texts.every(isMeasure)) return undefined
  // A point is what a table has by default, so that it tells nothing.
  const known =
    thousands === ',' || thousands === '.' ? otherSign(thousands) : decimal === ',' ? decimal : undefined
  const found = findDecimalSign(texts)
  const sign = found === 'either' ? (known ?? found) : found
  const sql = (sign: ',' | '.'): OptionMention => {
    const digits = `regexp_replace(${doubleQuote(column)}, '[^0-9${sign}-]', '', 'g')`
    return setting('value', sign === ',' ? `replace(${digits}, ',', '.')` : digits)
  }
  if (sign !== 'either') return sentence`the unit can be removed by SQL: ${sql(sign ?? '.')}`
  const open = texts.some((text) => text.includes(',')) ? ',' : '.'
  return sentence`the unit can be removed by SQL: ${sql(open)} if "${open}" stands before fractions, ${sql(otherSign(open))} if between thousands`
}
