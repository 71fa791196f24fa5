import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { InputError } from 'lacuna'
import type { Checksum } from './dataset.ts'
import { request } from './request.ts'

/** Hexadecimal digits of a digest. */
const LENGTH = { md5: 32, sha256: 64 } as const

/** The digest itself, or what the server says it is; nothing if that cannot be had. */
export async function expectedDigest(checksum: Checksum, signal?: AbortSignal): Promise<string | undefined> {
  if ('digest' in checksum) return checksum.digest
  try {
    const { status, body } = await request(checksum.url, {}, signal)
    let text = ''
    for await (const piece of body) if (text.length < 4096) text += piece
    if (status !== 200) return
    // Both `d41d…  file` and `MD5 (file) = d41d…` are usual.
    return new RegExp(`\\b[0-9a-f]{${LENGTH[checksum.algorithm]}}\\b`, 'i').exec(text)?.[0].toLowerCase()
  } catch {
    signal?.throwIfAborted()
    return
  }
}

export async function digestOf(path: string, algorithm: 'md5' | 'sha256'): Promise<string> {
  const hash = createHash(algorithm)
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(piece)
  return hash.digest('hex')
}

export async function checkDigest(
  path: string,
  algorithm: 'md5' | 'sha256',
  expected: string,
  url: string,
): Promise<void> {
  const digest = await digestOf(path, algorithm)
  if (digest !== expected)
    throw new InputError(
      'network',
      `${url}: the file that came is not the right one (${algorithm} ${digest}, not ${expected}); it has been removed, try again or use a mirror.`,
    )
}
