/** `lacuna data`: lists public data sets and downloads them. */
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import type { Dataset, FetchOptions } from '../datasets/index.ts'
import { formatCount, formatSeconds, formatTable } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { type Progress, startProgress } from '../print/terminal.ts'
import { shellWord } from '../process/failure.ts'
import { withSignals } from '../process/signals.ts'

/** Options of `lacuna data fetch`, as parsed from the command line. */
interface FetchCommandOptions {
  output?: string
  force?: boolean
  json?: boolean
  quiet?: boolean
}

/** Creates the command `data` with its subcommands list and fetch. */
export function dataCommand(): Command {
  return new Command('data')
    .description('Lists public data sets, and downloads them into a cache folder.')
    .addHelpText(
      'after',
      `
The cache folder is $LACUNA_CACHE, else $XDG_CACHE_HOME/lacuna, else ~/.cache/lacuna. A set keeps its owner's terms:
'lacuna data list' says what they are.

Examples:
  lacuna data
  lacuna data fetch movielens-latest-small
  lacuna data fetch uber-pickups -o uber`,
    )
    .addCommand(
      new Command('list')
        .description('the data sets that are known, with size, terms and source')
        .option('--json', 'print a JSON array')
        .action(runList),
      { isDefault: true },
    )
    .addCommand(
      new Command('fetch')
        .description('downloads a data set, unpacks it, and says what to type next')
        .argument('<name>', "as in 'lacuna data list'")
        .option('-o, --output <folder>', 'put it there instead of into the cache folder')
        .option('--force', 'download again what is here already')
        .option('--json', 'print a JSON object')
        .option('-q, --quiet', 'no progress')
        .addHelpText('after', '\nExample:\n  lacuna data fetch movielens-10m')
        .action(runFetch),
    )
}

/** Runs `lacuna data list`: prints the catalogue as a table with terms and sources, or as JSON. */
async function runList(options: { json?: boolean }): Promise<void> {
  const { cacheFolder, catalogue, downloadSize, isVerified } = await import('../datasets/index.ts')
  if (options.json)
    return printJson(
      catalogue.map((dataset) => ({
        ...dataset,
        downloadBytes: downloadSize(dataset),
        verified: isVerified(dataset),
        command: completeCommandLine(dataset, join(cacheFolder(), dataset.name)),
      })),
    )
  const rows = catalogue.map((dataset) => {
    const bytes = downloadSize(dataset)
    const size = dataset.dims ? `, ${dataset.dims.join('×')}` : ''
    return [
      dataset.name,
      formatCount(dataset.entries),
      bytes === undefined ? '–' : megabytes(bytes),
      isVerified(dataset) ? 'yes' : 'no',
      `  ${dataset.modes}${size}`,
    ]
  })
  const widest = Math.max(...rows.map((row) => row[4].length))
  const head = ['name', 'entries', 'download', 'verified', '  tensor']
  await print(formatTable([head, ...rows].map((row) => [...row.slice(0, 4), row[4].padEnd(widest)])))
  await print('\nTerms and sources')
  for (const { terms, page, names } of groupByTerms(catalogue))
    await print(`${names.join(', ')}\n    ${terms}\n    ${page}`)
  await print("\n'lacuna data fetch NAME' downloads one, and says how to complete it.")
}

/**
 * Groups data sets of the same host and terms. The page of a group is that of its sets, or the folder above
 * if these have different pages.
 */
function groupByTerms(datasets: readonly Dataset[]): { terms: string; page: string; names: string[] }[] {
  const groups = new Map<string, { terms: string; page: string; names: string[] }>()
  for (const { name, terms, page } of datasets) {
    const host = new URL(page).host
    const group = groups.get(host + terms)
    if (group) {
      group.names.push(name)
      if (group.page !== page) group.page = new URL('.', page).href.replace(/[^/]+\/$/, '')
    } else groups.set(host + terms, { terms, page, names: [name] })
  }
  return [...groups.values()]
}

/** Runs `lacuna data fetch`: downloads a set, and prints its files and the command that completes it. */
async function runFetch(name: string, options: FetchCommandOptions): Promise<void> {
  const { cacheFolder, fetchDataset, findDataset } = await import('../datasets/index.ts')
  const dataset = findDataset(name)
  const folder = options.output === undefined ? join(cacheFolder(), dataset.name) : resolve(options.output)
  const progress = startProgress(options.quiet ?? false)
  progress.say(`${dataset.title}. Terms: ${dataset.terms}.`)
  const fetched = await withSignals(async ({ signal, outcome }) => {
    try {
      return await fetchDataset(dataset, {
        folder,
        force: options.force,
        signal,
        onProgress: downloadReporter(progress),
        onUnverified: (sentence) => progress.insist(sentence),
      })
    } catch (error) {
      progress.end()
      if (!signal.aborted) throw error
      progress.say('Interrupted.')
      throw outcome()
    }
  })
  progress.end()
  if (fetched.cached) progress.say('It is here already; --force downloads it again.')
  const { files, cached, verified } = fetched
  const command = completeCommandLine(dataset, folder)
  if (options.json)
    return printJson({
      name: dataset.name,
      folder,
      files,
      cached,
      verified,
      preparation: dataset.preparation,
      command,
    })
  const preparation = dataset.preparation
    ? `\nFirst, in ${shellWord(folder)}:\n  ${dataset.preparation}\n`
    : ''
  await print(`${files.join('\n')}\n${preparation}\nNext:\n  ${command}`)
}

/** The command line that completes a data set in a folder. */
function completeCommandLine({ files, options }: Dataset, folder: string): string {
  return `lacuna complete ${files.map((file) => shellWord(join(folder, file))).join(' ')} ${options}`
}

/** Returns a callback that prints bytes, rate and time left of a file while it is downloaded or unpacked. */
function downloadReporter(progress: Progress): FetchOptions['onProgress'] {
  let current = ''
  let startMs = 0
  return (step, file, bytes, byteLength) => {
    if (current !== step + file) {
      current = step + file
      startMs = performance.now()
    }
    const elapsed = (performance.now() - startMs) / 1000
    const rate = elapsed > 1 ? bytes / elapsed : 0
    const of = byteLength === undefined ? '' : ` of ${megabytes(byteLength)}`
    const speed = rate > 0 ? `, ${megabytes(rate)}/s` : ''
    const left =
      byteLength !== undefined && rate > 0 ? `, ${formatSeconds((byteLength - bytes) / rate)} left` : ''
    progress.update(
      `${step === 'unpack' ? 'Unpacking ' : ''}${file}: ${megabytes(bytes)}${of}${speed}${left}`,
    )
  }
}

/** Formats bytes as megabytes, with one decimal below 100 MB. */
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`
