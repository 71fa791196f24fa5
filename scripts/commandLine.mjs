// The command lines of the repository's own scripts: usage for --help, and one sentence with exit code 2 for a mistake.
// @ts-check
import { parseArgs } from 'node:util'

/** Ends the process with a sentence on stderr and exit code 2. @param {string} sentence @returns {never} */
export function refuse(sentence) {
  console.error(sentence)
  process.exit(2)
}

/**
 * Parses the arguments of the process. Prints the usage and ends for --help; refuses what it does not know.
 * @template {import('node:util').ParseArgsConfig} T
 * @param {string} usage the text for --help @param {T} config that of parseArgs
 * @param {readonly string[]} [numbers] options whose values must be numbers that are not negative
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function readArguments(usage, config, numbers = []) {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    console.log(usage)
    process.exit(0)
  }
  try {
    const parsed = parseArgs(config)
    /** @type {Record<string, unknown>} */
    const values = parsed.values
    for (const name of numbers)
      if (values[name] !== undefined && !/^\d+(\.\d+)?$/.test(String(values[name])))
        throw new Error(`--${name} must be a number, not ${values[name]}.`)
    return parsed
  } catch (error) {
    // Node explains after the first sentence how to write an argument that begins with a dash.
    const [sentence] = /** @type {Error} */ (error).message.split(/(?<=[.']) (?=To )|\n/)
    return refuse(`${sentence.replace(/([^.])$/, '$1.')} --help prints the options.`)
  }
}
