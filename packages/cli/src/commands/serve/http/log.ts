/** Structured logs: one JSON object per line on stderr. */

/** How grave an event is. */
export type Level = 'info' | 'error'

/** Writes events to stderr. */
export class Log {
  readonly #isQuiet: boolean

  /** @param isQuiet whether events of requests are left out */
  constructor(isQuiet: boolean) {
    this.#isQuiet = isQuiet
  }

  /** Writes an event. @param fields more about it, as plain JSON */
  write(level: Level, event: string, fields: object = {}): void {
    process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`)
  }

  /** Writes that a request has been answered. */
  request(fields: { method: string; path: string; status: number; ms: number }): void {
    const level = fields.status >= 500 ? 'error' : 'info'
    // Text of requests is escaped by JSON; here it is also cut.
    if (!this.#isQuiet || level === 'error')
      this.write(level, 'request', {
        ...fields,
        path: fields.path.slice(0, 200),
        ms: Math.round(fields.ms * 100) / 100,
      })
  }
}
