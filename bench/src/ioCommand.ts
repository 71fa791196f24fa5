/** `bench io`: speed and memory of reading and writing files. */
import { Command } from 'commander'
import { formatBytes, hardwareThreads } from 'lacuna/internal'
import {
  abbreviateNumber,
  formatCount,
  formatTable,
  positiveWholeNumber,
  print,
  printJson,
  startProgress,
  threadCounts,
  wholeNumbers,
} from '#cli/kit.ts'
import type { IoBench } from './measure/io.ts'

/** Options of the command line. */
interface Options {
  rows: number
  rounds: number
  threads: number[]
  json?: boolean
  quiet?: boolean
}

/** Creates the command `bench io`. */
export function ioCommand(): Command {
  return new Command('io')
    .description(
      'reading and writing of files, by threads, beside a bare read of the same bytes, and memory for tables',
    )
    .option('--rows <n>', 'ratings in the files', positiveWholeNumber, 1_000_000)
    .option('--rounds <n>', 'measurements of each', positiveWholeNumber, 3)
    .option('--threads <list>', 'that read, as in 1,2', wholeNumbers, threadCounts(hardwareThreads()))
    .option('--json', 'print a JSON object')
    .option('-q, --quiet', 'no progress')
    .addHelpText('after', '\nExample:\n  npm run bench -- io --rows 10000000')
    .action(runIo)
}

/** Measures, and prints a table or JSON. */
async function runIo({ rows, rounds, threads, json, quiet }: Options): Promise<void> {
  const { measureIo } = await import('./measure/io.ts')
  const progress = startProgress(quiet ?? false)
  const bench = await measureIo({ rows, rounds, threads, onProgress: (line) => progress.update(line) })
  progress.end()
  await (json ? printJson(bench) : print(formatIo(bench)))
}

/** Formats the measurements as two tables: files, and tables that become tensors. */
function formatIo({ dims, rows, files, tables }: IoBench): string {
  const fileHead = ['', 'threads', 'file', 'seconds', 'MB/s', 'entries/s', 'bare', 'ratio']
  const fileRows = files.map((row) => [
    row.what,
    row.threads === undefined ? '–' : String(row.threads),
    formatBytes(row.byteLength),
    row.seconds.toFixed(3),
    row.megabytesPerSecond.toFixed(0),
    row.entriesPerSecond === undefined ? '–' : abbreviateNumber(row.entriesPerSecond),
    row.bareSeconds.toFixed(3),
    row.ratio.toFixed(1),
  ])
  const tableHead = [
    '',
    'threads',
    'file',
    'seconds',
    'rows/s',
    'tensor',
    'peak memory',
    'peak/tensor',
    'bare',
    'ratio',
  ]
  const tableRows = tables.map((row) => [
    row.what,
    String(row.threads),
    formatBytes(row.byteLength),
    row.seconds.toFixed(2),
    abbreviateNumber(row.rowsPerSecond),
    formatBytes(row.tensorBytes),
    formatBytes(row.peakBytes),
    row.peakRatio.toFixed(1),
    row.bareSeconds.toFixed(3),
    row.ratio.toFixed(1),
  ])
  return [
    `${formatCount(rows)} ratings, ${dims.join('×')}`,
    `\nSeconds beside a bare read (unpacking, write) of the same bytes\n${formatTable([fileHead, ...fileRows])}`,
    `\nA table to a tensor, in a process of its own\n${formatTable([tableHead, ...tableRows])}`,
  ].join('\n')
}
