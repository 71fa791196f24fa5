/** Reads tables beside the data: finds the mode whose labels a column has, and names or attributes beside it. */
import { InputError, type SparseTensor } from 'lacuna'
import { attributesOf, type FeatureSets } from 'lacuna/internal'
import { textTable } from 'lacuna/tables'
import type { SideTable, SideTableOffer } from '../sideTables.ts'
import { modeTitle } from './summary.ts'
import { decodeForeignText, findForeignText } from './textEncoding.ts'

/** The modes of data or of a model. */
type Modes = Pick<SparseTensor, 'labels' | 'modes'>

/** A column of a table as texts; empty where a cell is. */
interface TextColumn {
  name: string
  texts: string[]
}

/** A table whose column `key` has the labels of a mode. */
interface MatchedTable {
  mode: number
  key: TextColumn
  others: TextColumn[]
  /** The column of names, if there is one. */
  named?: TextColumn
}

/** At least this fraction of a mode's labels must occur in a column of the table. */
const LEAST_MATCH = 0.5
/** Larger files are not looked into: they are data. */
const MOST_BYTES = 16e6
/** Endings of files that describe rows. */
const TEXT = /\.(csv|tsv|txt|dat)$/i
/** In a table that describes rows, at least this fraction of the labels must be different. */
const LEAST_UNIQUE = 0.9
/** Names of columns that hold names. */
const NAME = /^(name|title|label|description|text|station)s?$/i
/** The most attributes that a column may have: more are of little use, and take long. */
const MOST_ATTRIBUTES = 256

/**
 * Finds the names or attributes that a table can give to the rows of a mode; undefined if there are none, or if it looks
 * like data itself:
 * large, with the labels of two modes, or with labels that repeat.
 */
export async function inspectSideTable(modes: Modes, file: File): Promise<SideTableOffer | undefined> {
  if (file.size > MOST_BYTES || !TEXT.test(file.name)) return undefined
  const found = await matchTable(modes, file).catch(() => undefined)
  if (!found) return undefined
  const { key, others } = found
  const isUnique = new Set(key.texts).size >= LEAST_UNIQUE * key.texts.length
  if (!isUnique || others.some((column) => matchMode(modes, column, found.mode))) return undefined
  const hasNames = found.named !== undefined
  const attributes = attributeColumns(modes, found).map(({ name }) => name)
  if (!hasNames && attributes.length === 0) return undefined
  return { mode: modeTitle(modes, found.mode), hasNames, attributes }
}

/** Reads names or attributes from a table. Throws if it has none. */
export async function readSideTable(modes: Modes, file: File, kind: SideTable['kind']): Promise<SideTable> {
  const found = await matchTable(modes, file)
  const { mode, key, named } = found
  const shared = { mode: modeTitle(modes, mode), file: file.name }
  if (kind === 'names') {
    if (!named) throw new InputError('table', `${file.name}: there is no column of names beside ${key.name}.`)
    return { kind, ...shared, names: pairNames(key.texts, named.texts) }
  }
  const columns = attributeColumns(modes, found)
  if (columns.length === 0)
    throw new InputError(
      'table',
      `${file.name}: its columns say nothing that several rows of ${shared.mode} have in common.`,
    )
  const rows = key.texts.map((label, row) => [label, columns.map(({ texts }) => texts[row])] as const)
  return { kind, ...shared, columns: columns.map(({ name }) => name), rows }
}

/** The attributes of all tables that have some, as numbers by the name of the mode; undefined if there are none. */
export function featuresOf(tensor: SparseTensor, tables: readonly SideTable[]): FeatureSets | undefined {
  const sets: Record<string, FeatureSets[string]> = {}
  for (const table of tables) {
    const mode = tensor.dims.findIndex((_, m) => modeTitle(tensor, m) === table.mode)
    const labels = tensor.labels?.[mode]
    if (table.kind !== 'attributes' || !labels) continue
    const rows = new Map(table.rows)
    const { columns, values } = attributesOf(
      table.columns,
      labels.map((label) => rows.get(label)),
    )
    if (columns > 0) sets[table.mode] = { columns, values }
  }
  return Object.keys(sets).length > 0 ? sets : undefined
}

/** Finds the mode and the column whose texts are its labels. Throws if there is none. */
async function matchTable(modes: Modes, file: File): Promise<MatchedTable> {
  const columns = await readColumns(file)
  let best: { mode: number; key: TextColumn; match: number } | undefined
  for (const key of columns) {
    const found = matchMode(modes, key)
    if (found && found.match > (best?.match ?? 0)) best = { ...found, key }
  }
  if (!best)
    throw new InputError(
      'table',
      `${file.name}: no column has the labels of a mode, so that it names no rows.`,
    )
  const { mode, key } = best
  const others = columns.filter((column) => column !== key)
  const named =
    others.find(({ name }) => NAME.test(name)) ??
    others.find(({ texts }) => texts.some((text) => /\p{L}/u.test(text)))
  return { mode, key, others, named }
}

/** The mode, but the one that is given, whose labels a column has best; undefined if it has too few of any. */
function matchMode(
  { labels: all }: Modes,
  { texts }: TextColumn,
  but?: number,
): { mode: number; match: number } | undefined {
  const known = new Set(texts)
  let best: { mode: number; match: number } | undefined
  for (const [mode, labels] of (all ?? []).entries()) {
    if (!labels || labels.length === 0 || mode === but) continue
    const match = labels.filter((label) => known.has(label)).length / labels.length
    if (match >= LEAST_MATCH && match > (best?.match ?? 0)) best = { mode, match }
  }
  return best
}

/** The columns beside the labels that give attributes; one that is called a name or a title gives none. */
function attributeColumns({ labels }: Modes, { mode, key, others }: MatchedTable): TextColumn[] {
  const rowOf = new Map(key.texts.map((label, row) => [label, row]))
  return others.filter(({ name, texts }) => {
    if (NAME.test(name)) return false
    const cells = labels![mode]!.map((label) => {
      const row = rowOf.get(label)
      return row === undefined ? undefined : [texts[row]]
    })
    const { columns } = attributesOf([name], cells)
    return columns > 0 && columns <= MOST_ATTRIBUTES
  })
}

/** Pairs labels and names; a name that several rows have gets its label added. */
function pairNames(labels: readonly string[], names: readonly string[]): [string, string][] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return labels.flatMap((label, i): [string, string][] =>
    names[i] === '' ? [] : [[label, counts.get(names[i])! > 1 ? `${names[i]} (${label})` : names[i]]],
  )
}

/** The texts of all columns of a .csv or .tsv file. */
async function readColumns(file: File): Promise<TextColumn[]> {
  const read = async function* (): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(await file.arrayBuffer())
  }
  const isForeign = (await findForeignText(read())) !== undefined
  const open = isForeign ? () => decodeForeignText(read()) : read
  const table = await textTable([{ name: file.name, open }], { name: file.name })
  const columns = table.columns.map(({ name }) => ({ name, texts: [] as string[] }))
  const decoder = new TextDecoder()
  for await (const batch of table.read(columns.map((_, column) => ({ column, asText: true }))))
    batch.columns.forEach((cells, column) => {
      if (!('bytes' in cells)) return
      for (let row = 0; row < batch.rowCount; row++)
        columns[column].texts.push(
          cells.ends[row] < cells.starts[row]
            ? ''
            : decoder.decode(cells.bytes.slice(cells.starts[row], cells.ends[row])),
        )
    })
  return columns
}
