/** Reasons that other libraries give for refusing a file, for messages of ours. */
import { oneLine } from '../text/index.ts'

/**
 * The first line of a library's error, in parentheses after a space. Empty for errors of the language, as in
 * `Cannot read properties of undefined`: they describe the library's code, not the file.
 */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message.split('\n')[0] : String(error)
  if (error instanceof TypeError || error instanceof ReferenceError || /\bundefined\b|\[object/.test(text))
    return ''
  return ` (${oneLine(text).slice(0, 100).replace(/\.$/, '')})`
}
