/** Which files every process can read its share of; others are read by one process and dealt out. */
import { open } from 'node:fs/promises'
import { endings, hasEnding } from '../io/node/files/kind.ts'
import { openNpzArrays } from './npzArrays.ts'

export interface Asked {
  dims?: readonly number[]
  hasMask?: boolean
}

/** tns: text that is not packed; npz: arrays that are not; else an empty text. */
export async function kindOfShares(
  files: readonly string[],
  { dims, hasMask = false }: Asked = {},
): Promise<'tns' | 'npz' | ''> {
  const [file, ...others] = files
  if (file === undefined || others.length > 0 || hasMask) return ''
  if (/\.tns$/i.test(file)) return (await isPlainFile(file)) ? 'tns' : ''
  if (!hasEnding(file, endings.npz)) return ''
  const arrays = await openNpzArrays(file, { ...(dims && { dims }) })
  await arrays?.close()
  return arrays ? 'npz' : ''
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
