/**
 * Run by itself, reads a table into a tensor and prints how long that took and how much memory: a process of its own
 * has seen nothing else. Arguments: the file, and the options of `readTable` as JSON.
 */
import { readFile } from 'node:fs/promises'
import { readTable } from 'lacuna/tables'

export interface TableReading {
  seconds: number
  entries: number
  dims: number[]
  /** Of the tensor's indices and values. */
  tensorBytes: number
  /** Of this process, before it reads and at most. */
  startBytes: number
  peakBytes: number
}

/** The most memory this process has had. Linux's maxRSS may count that of the process which started it. */
async function peakBytes(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS
  return 1024 * Number(kilobytes)
}

const [path, options] = process.argv.slice(2)
const startBytes = process.memoryUsage.rss()
const start = performance.now()
const tensor = await readTable(path, JSON.parse(options))
const seconds = (performance.now() - start) / 1000
const reading: TableReading = {
  ...{ seconds, entries: tensor.values.length, dims: [...tensor.dims] },
  tensorBytes: 4 * tensor.values.length * (tensor.dims.length + 1),
  ...{ startBytes, peakBytes: await peakBytes() },
}
process.stdout.write(JSON.stringify(reading))
