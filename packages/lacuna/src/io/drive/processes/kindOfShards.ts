/**
 * Decides which files every process can read a shard of; others are read by one process, which scatters the
 * entries.
 */
import { open } from 'node:fs/promises'
import { endings, hasEnding, isComputed, parquetGroups, type ReadTableOptions } from '../../node/index.ts'
import { kindByName, packingByName } from '../../text/index.ts'

/** Options for reading the files. */
export interface ShardedOptions extends ReadTableOptions {
  /** An .npy file of truth values beside a dense array. */
  mask?: string
}

/**
 * Returns the kind of files that can be read in shards: 'tns' for one .tns text that is not packed, 'parquet'
 * for Parquet without SQL, recipe or weights; an empty text for all others.
 */
export async function kindOfShards(
  files: readonly string[],
  options: ShardedOptions = {},
): Promise<'tns' | 'parquet' | ''> {
  const { mask, query, database } = options
  if (files.length === 0 || mask !== undefined || query !== undefined || database !== undefined) return ''
  if (files.every((file) => hasEnding(file, endings.parquet)))
    return (await canDivideRows(files, options)) ? 'parquet' : ''
  const [file, ...others] = files
  if (others.length > 0 || kindByName(file) !== 'tns' || packingByName(file) !== undefined) return ''
  return (await isPlainFile(file)) ? 'tns' : ''
}

/** Whether Parquet files can be read in ranges of rows: no recipe, weights or SQL, and the same columns. */
async function canDivideRows(files: readonly string[], options: ShardedOptions): Promise<boolean> {
  if (options.recipe !== undefined || options.weight !== undefined) return false
  try {
    return (await parquetGroups(files)) !== undefined && !(await isComputed(files, options))
  } catch {
    return false // reading by one process explains why
  }
}

/** Whether a path is a file, not a pipe, and not gzip by its first bytes; true if it cannot be opened. */
async function isPlainFile(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined)
  if (!file) return true // reading the shards explains why
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    const isPacked = bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
    return (await file.stat()).isFile() && !isPacked
  } finally {
    await file.close()
  }
}
