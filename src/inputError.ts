/**
 * Something the person at the keyboard can mend: a file, an option, a value. Its message is one
 * sentence that names the culprit and says what to do. The CLI prints it and exits with 2.
 */
export class InputError extends Error {
  override name = 'InputError'
}
