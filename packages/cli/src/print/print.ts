/**
 * Writes results to stdout and waits until they are out, so that a process may end and a slow reader loses
 * nothing.
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

/**
 * One JSON object. Infinity, which JSON lacks, is written as null; characters that would steer a terminal as
 * \\u009b.
 */
export function printJson(value: unknown): Promise<void> {
  const text = JSON.stringify(value, null, 2)
  return print(
    text.replace(/[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (found) => {
      return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
    }),
  )
}
