/** Writes results to stdout and waits until they are out, so that a process may end and a slow reader loses nothing. */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`, (error) =>
      error ? reject(error) : resolve(),
    )
  })
}

/** One JSON object. Infinity, which JSON lacks, is written as null. */
export function printJson(value: unknown): Promise<void> {
  return print(JSON.stringify(value, null, 2))
}
