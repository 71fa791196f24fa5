/** What kind of thing is wrong, for programs; people read the message. */
export type InputErrorCode =
  /** An option is unknown, missing, or has a value that makes no sense. */
  | 'option'
  /** Sizes that do not fit together: columns, factors, labels, pictures. */
  | 'shape'
  /** An index lies outside of its mode. */
  | 'index'
  /** A value that is not finite, negative without leave, or too large. */
  | 'value'
  /** Coordinates that were given before. */
  | 'duplicate'
  /** There is nothing to learn from, or nothing to do. */
  | 'empty'
  /** It does not fit in memory. */
  | 'memory'
  /** The system does not read or write a file. */
  | 'file'
  /** A file is damaged, or is not what it is taken for. */
  | 'format'
  /** A table's columns do not say what is meant. */
  | 'table'
  /** A download failed. */
  | 'network'
  /** A saved run belongs to other data or settings. */
  | 'checkpoint'
  /** Something that is not part of this installation. */
  | 'unavailable'

/**
 * An option in a message, by its name in the library, with values it may have; who shows the message puts it
 * in their own words.
 */
export interface OptionMention {
  /** Name of the option in the library. */
  option: string
  /** Values that it may have, or has. */
  values: readonly (string | number)[]
  /** These are its values, all of them, not a choice. */
  set?: true
}

export const option = (name: string, ...values: (string | number)[]): OptionMention => ({
  option: name,
  values,
})

/** An option that has been given these values, as one would write them to give them again. */
export const setting = (name: string, ...values: (string | number)[]): OptionMention => ({
  option: name,
  values,
  set: true,
})

/** a, b or c */
export const oneOf = (values: readonly (string | number)[]): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values[values.length - 1]}`

/** A message in pieces: text, and mentions of options. */
export type Sentence = readonly (string | OptionMention)[]

/** Writes a sentence that mentions options: sentence`${option('rank')} is 0.` */
export function sentence(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | OptionMention | Sentence)[]
): Sentence {
  return texts.flatMap((text, i) => {
    const value = values[i]
    if (value === undefined) return [text]
    return typeof value === 'object' && !('option' in value) ? [text, ...value] : [text, plain(value)]
  })
}

const plain = (value: string | number | OptionMention): string | OptionMention =>
  typeof value === 'number' ? String(value) : value

/** rank, or negative: 'keep', as one writes it in a program. */
function inTypeScript({ option, values, set }: OptionMention): string {
  if (values.length === 0) return option
  const written = values.map((value) => (typeof value === 'string' ? `'${value}'` : value))
  return `${option}: ${!set ? oneOf(written) : written.length > 1 ? `[${written.join(', ')}]` : written[0]}`
}

/**
 * Something the person at the keyboard can mend: a file, an option, a value. Its message is one
 * sentence that names the culprit and says what to do. The CLI prints it and exits with 2.
 */
export class InputError extends Error {
  /** The name of the class, 'InputError'. */
  override name = 'InputError'
  /** What kind of thing is wrong, for programs. */
  readonly code: InputErrorCode
  /** The message in pieces, in which options are marked. */
  readonly sentence: Sentence

  /**
   * @param code what kind of thing is wrong
   * @param message one sentence that names what is wrong and what to do
   */
  constructor(code: InputErrorCode, message: string | Sentence, options?: ErrorOptions) {
    const parts = typeof message === 'string' ? [message] : message
    super(inWords(parts, inTypeScript), options)
    this.code = code
    this.sentence = parts
  }

  /** The message with its options as others call them: --negative keep. */
  in(words: (mention: OptionMention) => string): string {
    return inWords(this.sentence, words)
  }

  /** The same error with more before it: the file that it is about. */
  within(where: string): InputError {
    return new InputError(this.code, [`${where}: `, ...this.sentence], { cause: this })
  }
}

/** Something worth knowing that is no error. */
export interface Remark {
  /** The remark as a sentence. */
  text: string
  /** The same in pieces, for who calls options by other names. */
  sentence: Sentence
  /** It was guessed, and changes what is learned: never to be left unsaid. */
  guess: boolean
}

export const remark = (sentence: Sentence, guess = false): Remark => ({
  text: inWords(sentence, inTypeScript),
  sentence,
  guess,
})

/** A sentence with its options as others call them. */
export const inWords = (sentence: Sentence, words: (mention: OptionMention) => string): string =>
  sentence.map((part) => (typeof part === 'string' ? part : words(part))).join('')

/** Runs a check whose sentences do not know the file, and puts its name before them. */
export function inFile<T>(name: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    if (error instanceof InputError) throw error.within(name)
    throw error
  }
}
