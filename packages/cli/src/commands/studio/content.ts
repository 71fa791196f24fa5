/** The bytes of a served file: compressed where the client accepts it, with an entity tag for revalidation. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Content codings, the preferred one first. */
const CODINGS = ['br', 'gzip'] as const

/** A content coding that this server can apply. */
export type Coding = (typeof CODINGS)[number]

/** A file as it is sent. */
export interface Content {
  bytes: Buffer
  /** The coding of the bytes; undefined if they are the file's own. */
  coding?: Coding
  /** The entity tag: a hash of the file, and the coding. */
  tag: string
  /** Whether another client may get another coding of this file. */
  varies: boolean
}

/** Files whose content is not compressed already. */
const COMPRESSIBLE = new Set(['.html', '.js', '.css', '.json', '.svg', '.md', '.wasm', '.webmanifest'])
/** Smaller files would hardly shrink, or grow. */
const LEAST_BYTES = 512
/** Quality of Brotli: half a megabyte takes about 11 ms, and is 8% larger than at the slow default of 11. */
const BROTLI_QUALITY = 6

/** The compressors by coding. */
const compress: Record<Coding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 6 }),
}

/**
 * Returns a function that reads files for clients. It keeps what it has compressed in memory (the studio is
 * about 8 MB), and reads a file again when its size or time has changed.
 */
export function contentReader(): (path: string, acceptEncoding: string | undefined) => Promise<Content> {
  const cache = new Map<string, { version: string; content: Promise<Content> }>()
  return async (path, acceptEncoding) => {
    const { size, mtimeMs } = await stat(path)
    const varies = COMPRESSIBLE.has(extname(path)) && size >= LEAST_BYTES
    const coding = varies ? chooseCoding(acceptEncoding) : undefined
    const key = `${coding ?? 'plain'} ${path}`
    const version = `${size} ${mtimeMs}`
    const cached = cache.get(key)
    if (cached?.version === version) return cached.content
    const content = readContent(path, coding, varies)
    cache.set(key, { version, content })
    content.catch(() => cache.delete(key))
    return content
  }
}

/** Reads a file and applies a coding to it. */
async function readContent(path: string, coding: Coding | undefined, varies: boolean): Promise<Content> {
  const plain = await readFile(path)
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 20)
  if (!coding) return { bytes: plain, tag: `"${hash}"`, varies }
  return { bytes: await compress[coding](plain), coding, tag: `"${hash}-${coding}"`, varies }
}

/**
 * Chooses the coding of a response by the Accept-Encoding header (RFC 9110, section 12.5.3): the first of
 * CODINGS that the client accepts; undefined if it accepts none.
 */
export function chooseCoding(acceptEncoding = ''): Coding | undefined {
  const accepted = new Map<string, boolean>()
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    if (name) accepted.set(name, weight === undefined || Number(weight.slice(2)) > 0)
  }
  return CODINGS.find((coding) => accepted.get(coding) ?? accepted.get('*') ?? false)
}

/** Whether an If-None-Match header names this entity tag, by weak comparison. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((item) => ['*', tag].includes(item.trim().replace(/^W\//, '')))
}
