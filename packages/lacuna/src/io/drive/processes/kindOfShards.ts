/** Which files every process can read its share of; others are read by one process and dealt out. */

import { open } from 'node:fs/promises'
import { endings, hasEnding, isComputed, parquetGroups, type ReadTableOptions } from '../../node/index.ts'
import { kindByName, packingByName } from '../../text/index.ts'
import { openNpzArrays } from './npzArrays.ts'

export interface AskedOfFiles extends ReadTableOptions {
  /** An array of truth values beside a dense array. */
  mask?: string
}

/** tns: text that is not packed; npz: arrays that are not; parquet: rows as they are, no query; else an empty text. */
export async function kindOfShares(
  files: readonly string[],
  asked: AskedOfFiles = {},
): Promise<'tns' | 'npz' | 'parquet' | ''> {
  const { dims, mask, query, database } = asked
  if (files.length === 0 || mask !== undefined || query !== undefined || database !== undefined) return ''
  if (files.every((file) => hasEnding(file, endings.parquet)))
    return (await areRowsPlain(files, asked)) ? 'parquet' : ''
  const [file, ...others] = files
  if (others.length > 0) return ''
  if (kindByName(file) === 'tns' && packingByName(file) === undefined)
    return (await isPlainFile(file)) ? 'tns' : ''
  if (!hasEnding(file, endings.npz)) return ''
  const arrays = await openNpzArrays(file, { ...(dims && { dims }) })
  await arrays?.close()
  return arrays ? 'npz' : ''
}

/** Whether what a row of Parquet files gives depends on nothing but the row. */
async function areRowsPlain(files: readonly string[], asked: AskedOfFiles): Promise<boolean> {
  if (asked.recipe !== undefined || asked.weight !== undefined) return false
  try {
    return (await parquetGroups(files)) !== undefined && !(await isComputed(files, asked))
  } catch {
    return false // whoever reads all says why
  }
}

/** Neither a pipe nor gzip under another name. */
async function isPlainFile(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined)
  if (!file) return true // whoever opens it says why not
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    const isPacked = bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
    return (await file.stat()).isFile() && !isPacked
  } finally {
    await file.close()
  }
}
