/** Metrics in the text format of Prometheus. */

/** Upper bounds of the buckets of the histogram, in seconds. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Times of the requests of one operation. */
interface Histogram {
  /** Requests by bucket; the last one has no bound. */
  buckets: number[]
  sum: number
}

/** Numbers that are read when metrics are asked for, by name, with their help. */
export type Gauges = Readonly<Record<string, { help: string; value: number }>>

/** Counts requests and their times. */
export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #seconds = new Map<string, Histogram>()

  /** Counts a request. @param operation a name of the server's own, never text of a request */
  add(operation: string, status: number, seconds: number): void {
    const key = `operation="${operation}",status="${status}"`
    this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1)
    let histogram = this.#seconds.get(operation)
    if (!histogram) {
      histogram = { buckets: BOUNDS.map(() => 0).concat(0), sum: 0 }
      this.#seconds.set(operation, histogram)
    }
    const bucket = BOUNDS.findIndex((bound) => seconds <= bound)
    histogram.buckets[bucket < 0 ? BOUNDS.length : bucket]++
    histogram.sum += seconds
  }

  /** All metrics as text. */
  print(gauges: Gauges): string {
    const lines = [
      '# HELP lacuna_requests_total Requests by operation and status.',
      '# TYPE lacuna_requests_total counter',
    ]
    for (const [key, count] of this.#requests) lines.push(`lacuna_requests_total{${key}} ${count}`)
    lines.push('# HELP lacuna_request_seconds Seconds from the request to the end of the answer.')
    lines.push('# TYPE lacuna_request_seconds histogram')
    for (const [operation, { buckets, sum }] of this.#seconds) {
      let total = 0
      buckets.forEach((count, at) => {
        total += count
        const bound = at < BOUNDS.length ? BOUNDS[at] : '+Inf'
        lines.push(`lacuna_request_seconds_bucket{operation="${operation}",le="${bound}"} ${total}`)
      })
      lines.push(`lacuna_request_seconds_sum{operation="${operation}"} ${sum}`)
      lines.push(`lacuna_request_seconds_count{operation="${operation}"} ${total}`)
    }
    for (const [name, { help, value }] of Object.entries(gauges))
      lines.push(`# HELP lacuna_${name} ${help}`, `# TYPE lacuna_${name} gauge`, `lacuna_${name} ${value}`)
    return `${lines.join('\n')}\n`
  }
}
