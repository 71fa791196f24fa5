/**
 * Program that reads a table into a tensor and prints seconds and memory as JSON: in its own process, nothing
 * else counts. Arguments: the file, and the options of `readTable` as JSON.
 */
import { readFile } from 'node:fs/promises'
import { readTable } from 'lacuna/tables'

/** The measurements that the program prints. */
export interface TableReading {
  seconds: number
  entries: number
  dims: number[]
  /** Size of the tensor's indices and values. */
  tensorBytes: number
  /** Memory of the process before it reads. */
  startBytes: number
  /** Peak memory of the process. */
  peakBytes: number
}

/**
 * Returns the peak memory of this process in bytes: VmHWM on Linux, where maxRSS may include that of the
 * parent process.
 */
async function measurePeakBytes(): Promise<number> {
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
  ...{ startBytes, peakBytes: await measurePeakBytes() },
}
process.stdout.write(JSON.stringify(reading))
