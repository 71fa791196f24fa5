/** Parses a setting of the URL, which anybody may have written. */

/** The values that a setting may have. */
export interface SettingLimits<T extends string | number> {
  /** The smallest and the largest number; numbers beyond are clamped. */
  min?: number
  max?: number
  /** Whether only whole numbers are allowed; others are rounded. */
  isWhole?: boolean
  /** Whether a text is allowed; others are refused. */
  isAllowed?(value: T): boolean
}

/**
 * Parses the text of a setting: a number is clamped to its limits, anything else that is not allowed is refused.
 * @param text null if the URL does not name the setting
 * @param fallback the default; its type is that of the setting
 * @returns the value to use, and a sentence if it is not the one in the URL
 */
export function parseSetting<T extends string | number>(
  name: string,
  text: string | null,
  fallback: T,
  { min = -Infinity, max = Infinity, isWhole = false, isAllowed }: SettingLimits<T> = {},
): { value: T; fault?: string } {
  if (text === null) return { value: fallback }
  if (typeof fallback === 'string') {
    if (!isAllowed || isAllowed(text as T)) return { value: text as T }
    return {
      value: fallback,
      fault: `The address has ${name}=${text}, which is not possible; it is ${fallback} now.`,
    }
  }
  const number = text.trim() === '' ? Number.NaN : Number(text)
  const clamped = Math.min(max, Math.max(min, isWhole ? Math.round(number) : number))
  if (!Number.isFinite(clamped))
    return {
      value: fallback,
      fault: `The address has ${name}=${text}, which is no number; it is ${fallback} now.`,
    }
  return {
    value: clamped as T,
    ...(clamped !== number && {
      fault: `The address has ${name}=${text}, which is not possible; it is ${clamped} now.`,
    }),
  }
}
