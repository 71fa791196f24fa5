/** Which files all processes can read in ranges; others are read by the root and scattered. */

import { open } from 'node:fs/promises'
import { endings, hasEnding, isComputed, parquetGroups, type ReadTableOptions } from '../../node/index.ts'
import { kindByName, packingByName } from '../../text/index.ts'

/** The options of reading that decide whether files can be read in ranges. */
export interface ShardFormatOptions extends ReadTableOptions {
  /** An array of truth values beside a dense array. */
  mask?: string
}

/**
 * Returns the format in which processes read ranges of the files: 'tns' for text that is not compressed, 'parquet' for rows
 * without a query; '' if the root must read them.
 */
export async function shardFormatOf(
  files: readonly string[],
  options: ShardFormatOptions = {},
): Promise<'tns' | 'parquet' | ''> {
  const { mask, query, database } = options
  if (files.length === 0 || mask !== undefined || query !== undefined || database !== undefined) return ''
  if (files.every((file) => hasEnding(file, endings.parquet)))
    return (await areRowsPlain(files, options)) ? 'parquet' : ''
  const [file, ...others] = files
  if (others.length > 0 || kindByName(file) !== 'tns' || packingByName(file) !== undefined) return ''
  return (await isPlainFile(file)) ? 'tns' : ''
}

/** Whether the entry of each row of Parquet files depends on that row alone. */
async function areRowsPlain(files: readonly string[], options: ShardFormatOptions): Promise<boolean> {
  if (options.recipe !== undefined || options.weight !== undefined) return false
  try {
    return (await parquetGroups(files)) !== undefined && !(await isComputed(files, options))
  } catch {
    return false // reading the files on the root gives the message
  }
}

/** Neither a pipe nor gzip under another name. */
async function isPlainFile(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined)
  if (!file) return true // opening it for reading gives the message
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    const isPacked = bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
    return (await file.stat()).isFile() && !isPacked
  } finally {
    await file.close()
  }
}
