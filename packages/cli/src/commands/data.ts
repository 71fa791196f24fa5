/** `lacuna data`: lists public data sets and downloads them. */
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import type { Dataset, FetchOptions } from '../datasets/index.ts'
import { formatCount, formatSeconds, formatTable } from '../print/format.ts'
import { print, printJson } from '../print/print.ts'
import { type Progress, startProgress } from '../print/terminal.ts'
import { shellWord } from '../process/failure.ts'
import { withSignals } from '../process/signals.ts'

interface FetchCommandOptions {
  output?: string
  force?: boolean
  json?: boolean
  quiet?: boolean
}

/** Creates the command. */
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
        .action(list),
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
        .action(fetch),
    )
}

async function list(options: { json?: boolean }): Promise<void> {
  const { cacheFolder, catalogue, downloadSize, isVerified } = await import('../datasets/index.ts')
  if (options.json)
    return printJson(
      catalogue.map((dataset) => ({
        ...dataset,
        downloadBytes: downloadSize(dataset),
        verified: isVerified(dataset),
        command: commandFor(dataset, join(cacheFolder(), dataset.name)),
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

/** Groups sets of one source with equal terms. */
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

async function fetch(name: string, options: FetchCommandOptions): Promise<void> {
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
        onProgress: downloadLine(progress),
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
  const command = commandFor(dataset, folder)
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

function commandFor({ files, options }: Dataset, folder: string): string {
  return `lacuna complete ${files.map((file) => shellWord(join(folder, file))).join(' ')} ${options}`
}

/** Prints bytes, rate and time left of a download as it proceeds. */
function downloadLine(progress: Progress): FetchOptions['onProgress'] {
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

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`
