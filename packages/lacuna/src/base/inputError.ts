/**
 * Errors that users can correct, and the sentences of messages, in which options are marked so that each
 * interface names them.
 */

import { oneLine } from './characters.ts'

/** The kind of an InputError, for programs. */
export type InputErrorCode =
  /** An option is unknown, missing, or has a value that makes no sense. */
  | 'option'
  /** Sizes that do not fit together: columns, factors, labels, pictures. */
  | 'shape'
  /** An index lies outside of its mode. */
  | 'index'
  /** A value that is not finite, too large, or negative where that is not allowed. */
  | 'value'
  /** Two entries have the same coordinates. */
  | 'duplicate'
  /** There is nothing to learn from, or nothing to do. */
  | 'empty'
  /** The problem does not fit in memory. */
  | 'memory'
  /** A file cannot be read or written. */
  | 'file'
  /** A file is damaged, or has another format than expected. */
  | 'format'
  /** The columns of a table do not match the options. */
  | 'table'
  /** A download failed. */
  | 'network'
  /** A saved run belongs to other data or settings. */
  | 'checkpoint'
  /** A package, library or device is not available. */
  | 'unavailable'

/** An option in a message: the library, the command line and the studio each print it in their own syntax. */
export interface OptionMention {
  /** The name of the option in the library. */
  option: string
  /** Values that it may have, or has. */
  values: readonly (string | number)[]
  /** True if `values` are all values that it has, false if they are alternatives. */
  set?: true
}

/** Mentions an option in a message. @param values alternatives to suggest */
export const option = (name: string, ...values: (string | number)[]): OptionMention => ({
  option: name,
  values,
})

/** Mentions an option together with all values that it has, as they would be typed. */
export const setting = (name: string, ...values: (string | number)[]): OptionMention => ({
  option: name,
  values,
  set: true,
})

/** Joins values to a text: `a, b or c`. */
export const joinWithOr = (values: readonly (string | number)[]): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values[values.length - 1]}`

/** A message as a list of texts and mentions of options. */
export type Sentence = readonly (string | OptionMention)[]

/**
 * Template tag of a message in which options are marked: sentence`${option('rank')} is 0.` Values that are
 * sentences are inserted.
 */
export function sentence(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | OptionMention | Sentence)[]
): Sentence {
  return texts.flatMap((text, i) => {
    const value = values[i]
    if (value === undefined) return [text]
    return typeof value === 'object' && !('option' in value) ? [text, ...value] : [text, asPart(value)]
  })
}

/** Converts a number to text; texts and options stay as they are. */
const asPart = (value: string | number | OptionMention): string | OptionMention =>
  typeof value === 'number' ? String(value) : value

/** Prints an option as in TypeScript: `rank`, or `negative: 'keep'`. */
function formatOption({ option, values, set }: OptionMention): string {
  if (values.length === 0) return option
  const written = values.map((value) => (typeof value === 'string' ? `'${value}'` : value))
  return `${option}: ${!set ? joinWithOr(written) : written.length > 1 ? `[${written.join(', ')}]` : written[0]}`
}

/**
 * An error that the user can correct: a file, an option, a value. Its message is one sentence on one line that
 * names the cause and what to do: control characters of a file's names are escaped. The command line prints it
 * and exits with code 2.
 */
export class InputError extends Error {
  /** The name of the class, 'InputError'. */
  override name = 'InputError'
  /** The kind of error. */
  readonly code: InputErrorCode
  /** The message, with its options marked. */
  readonly sentence: Sentence

  /**
   * @param code the kind of fault
   * @param message one sentence that names what is wrong and what to do
   */
  constructor(code: InputErrorCode, message: string | Sentence, options?: ErrorOptions) {
    const parts = typeof message === 'string' ? [message] : message
    super(oneLine(formatSentence(parts, formatOption)), options)
    this.code = code
    this.sentence = parts
  }

  /**
   * Returns the message in another syntax of options.
   * @param words prints an option, as in `--negative keep`
   */
  in(words: (mention: OptionMention) => string): string {
    return oneLine(formatSentence(this.sentence, words))
  }

  /** Returns the error with the name of a file, line or process before its message. */
  within(where: string): InputError {
    return new InputError(this.code, [`${where}: `, ...this.sentence], { cause: this })
  }
}

/** A notice: something that users should know and that is no error. */
export interface Remark {
  /** The text, with options as in TypeScript. */
  text: string
  /** The text with its options marked. */
  sentence: Sentence
  /** True if it reports a guess that changes the result; such notices are always printed. */
  guess: boolean
  /** True if it counts rows that are left out because a mode or the value is empty. */
  isAboutGaps?: boolean
}

/**
 * Makes a notice.
 * @param guess whether it reports a guess that changes the result
 * @param isAboutGaps whether it counts rows without a value
 */
export const remark = (sentence: Sentence, guess = false, isAboutGaps = false): Remark => ({
  text: formatSentence(sentence, formatOption),
  sentence,
  guess,
  ...(isAboutGaps && { isAboutGaps }),
})

/** Prints a message. @param words prints an option */
export const formatSentence = (sentence: Sentence, words: (mention: OptionMention) => string): string =>
  sentence.map((part) => (typeof part === 'string' ? part : words(part))).join('')

/**
 * Runs a check and returns its result; an InputError that it throws gets the name of the file before its
 * message.
 */
export function inFile<T>(name: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof InputError) throw error.within(name)
    throw error
  }
}
