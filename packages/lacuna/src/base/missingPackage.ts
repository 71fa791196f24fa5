/** Errors for optional packages, which come with the command line and are peers of the library. */
import { InputError } from './inputError.ts'

/**
 * Returns a handler for a failed import of an optional package, which throws an error with the install
 * command or, in a browser, the advice to reload the page.
 * @param name the package
 * @param what the feature that needs it, as the subject of the message
 */
export function explainMissingPackage(name: string, what: string): (cause: unknown) => never {
  return (cause) => {
    const text = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    const isMissing = /cannot find (package|module)|ERR_MODULE_NOT_FOUND|could not resolve/i.test(text)
    const why =
      isMissing && text.includes(name) ? '' : `, which cannot be loaded (${text.replace(/\.$/, '')})`
    // A page has the package in a file of its own, which could not be fetched.
    const advice = globalThis.process?.versions?.node
      ? `install it with npm install ${name}`
      : 'reload the page'
    throw new InputError('unavailable', `${what} needs the package ${name}${why}; ${advice}.`, { cause })
  }
}
