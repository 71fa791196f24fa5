import { InputError } from './inputError.ts'

/**
 * For the catch of an import: a package that comes with the command line, and that who uses the library installs only
 * for what needs it.
 */
export function missingPackage(name: string, what: string): (cause: unknown) => never {
  return (cause) => {
    const text = cause instanceof Error ? cause.message.split('\n')[0] : String(cause)
    const isMissing = /cannot find (package|module)|ERR_MODULE_NOT_FOUND|could not resolve/i.test(text)
    const why =
      isMissing && text.includes(name) ? '' : `, which cannot be loaded (${text.replace(/\.$/, '')})`
    throw new InputError(
      'unavailable',
      `${what} needs the package ${name}${why}; install it with npm install ${name}.`,
      { cause },
    )
  }
}
