import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkDigest, expectedDigest } from '#cli/datasets/checksum.ts'
import { type DownloadOptions, download } from '#cli/datasets/download.ts'
import { sentence } from '../../lacuna/io/pieces.ts'
import { type Server, sendFile, serve } from './server.ts'

const content = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 24)
const other = content.map((byte) => byte ^ 255)

let folder = ''
let server: Server | undefined
const file = () => join(folder, 'data.bin')
const start = async (...args: Parameters<typeof serve>): Promise<Server> => {
  server = await serve(...args)
  return server
}
const fetchIt = (url: string, options: DownloadOptions = {}) =>
  download(url, file(), { retryDelayMs: 1, ...options })

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-download-'))
})
afterEach(async () => {
  await server?.close()
  server = undefined
  rmSync(folder, { recursive: true })
})

async function expectWhole(bytes: Uint8Array = content): Promise<void> {
  expect(readFileSync(file()).equals(bytes)).toBe(true)
  expect(readdirSync(folder)).toEqual(['data.bin'])
}

describe('a download', () => {
  test('brings the whole file and nothing else, and tells how far it is', async () => {
    const { base } = await start((q, a) => sendFile(q, a, content))
    const seen: [number, number | undefined][] = []
    await fetchIt(`${base}/data.bin`, { onProgress: (...at) => seen.push(at) })
    await expectWhole()
    expect(seen.at(-1)).toEqual([content.length, content.length])
    expect(seen.every(([bytes], i) => i === 0 || bytes >= seen[i - 1][0])).toBe(true)
  })

  test('follows redirects, and gives up when they go round', async () => {
    const { base } = await start((q, a) => {
      if (q.url === '/data.bin') sendFile(q, a, content)
      else a.writeHead(302, { location: q.url === '/old' ? '/data.bin' : '/round' }).end()
    })
    await fetchIt(`${base}/old`)
    await expectWhole()
    expect(await sentence(fetchIt(`${base}/round`))).toMatch(/sends you on and on/)
  })

  test('keeps the bytes of a .gz that the server labels as packed on the way', async () => {
    const packed = gzipSync(content)
    const { base } = await start((_, a) => a.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    await fetchIt(`${base}/data.tns.gz`)
    await expectWhole(packed)
    expect(await sentence(fetchIt(`${base}/data.csv`))).toMatch(/packs the file on the way \(gzip\)/)
  })

  test('goes on after a cut connection from where it was', async () => {
    const { base, asked } = await start((q, a, call) =>
      sendFile(q, a, content, call < 2 ? { cutAfter: 100_000 } : {}),
    )
    const notices: string[] = []
    const seen: number[] = []
    await fetchIt(`${base}/data.bin`, {
      onNotice: (n) => notices.push(n),
      onProgress: (bytes) => seen.push(bytes),
    })
    await expectWhole()
    expect(asked).toEqual(['/data.bin', '/data.bin bytes=100000-', '/data.bin bytes=200000-'])
    expect(notices).toHaveLength(2)
    expect(notices[0]).toMatch(/The connection broke; trying again/)
    expect(seen.every((bytes, i) => i === 0 || bytes >= seen[i - 1])).toBe(true)
  })

  test('goes on in another run, after the first was interrupted', async () => {
    const { base, asked } = await start((q, a, call) =>
      sendFile(q, a, content, call === 0 ? { cutAfter: 150_000 } : {}),
    )
    const stop = new AbortController()
    const interrupted = fetchIt(`${base}/data.bin`, {
      signal: stop.signal,
      onProgress: (bytes) => bytes > 0 && stop.abort(),
    })
    await expect(interrupted).rejects.toThrow()
    expect(readdirSync(folder).sort()).toEqual(['data.bin.part', 'data.bin.part.json'])
    const come = statSync(`${file()}.part`).size
    expect(come).toBeGreaterThan(0)
    expect(come).toBeLessThanOrEqual(150_000)
    await fetchIt(`${base}/data.bin`)
    await expectWhole()
    expect(asked[1]).toBe(`/data.bin bytes=${come}-`)
  })

  test('that had all but the name only asks whether something is missing', async () => {
    const { base, asked } = await start((q, a) => sendFile(q, a, content))
    writeFileSync(`${file()}.part`, content)
    writeFileSync(`${file()}.part.json`, JSON.stringify({ url: `${base}/data.bin`, mark: '"v1"' }))
    await fetchIt(`${base}/data.bin`)
    await expectWhole()
    expect(asked).toEqual([`/data.bin bytes=${content.length}-`])
  })

  test('starts again where the server knows no ranges', async () => {
    const { base } = await start((q, a, call) => {
      delete q.headers.range
      sendFile(q, a, content, call === 0 ? { cutAfter: 100_000 } : {})
    })
    const notices: string[] = []
    await fetchIt(`${base}/data.bin`, { onNotice: (n) => notices.push(n) })
    await expectWhole()
    expect(notices[1]).toMatch(/starting again/)
  })

  test('starts again where the file has changed in between', async () => {
    const { base } = await start((q, a, call) =>
      call === 0
        ? sendFile(q, a, content, { cutAfter: 100_000, etag: '"old"' })
        : sendFile(q, a, other, { etag: '"new"' }),
    )
    await fetchIt(`${base}/data.bin`)
    await expectWhole(other)
  })

  test('does not believe a part of another version, though the server sends one', async () => {
    const { base } = await start((q, a, call) => {
      if (call === 0) sendFile(q, a, content, { cutAfter: 100_000, etag: '"old"' })
      else {
        if (q.headers.range) q.headers['if-range'] = '"new"'
        sendFile(q, a, other, { etag: '"new"' })
      }
    })
    await fetchIt(`${base}/data.bin`)
    await expectWhole(other)
  })

  test('does not go on by a weak ETag, nor with the part of another address', async () => {
    const { base, asked } = await start((q, a, call) =>
      sendFile(q, a, content, { etag: 'W/"v1"', ...(call === 0 ? { cutAfter: 100_000 } : {}) }),
    )
    await fetchIt(`${base}/data.bin`)
    await expectWhole()
    writeFileSync(`${file()}.part`, other)
    writeFileSync(`${file()}.part.json`, JSON.stringify({ url: 'http://elsewhere/x', mark: '"v1"' }))
    await fetchIt(`${base}/data.bin`)
    await expectWhole()
    expect(asked).toEqual(['/data.bin', '/data.bin', '/data.bin'])
  })

  test('tries again after a 500 or 429, a few times', async () => {
    const { base, asked } = await start((q, a, call) => {
      if (q.url === '/never') a.writeHead(503).end()
      else if (call < 2) a.writeHead(call === 0 ? 500 : 429).end()
      else sendFile(q, a, content)
    })
    await fetchIt(`${base}/data.bin`)
    await expectWhole()
    asked.length = 0
    expect(await sentence(fetchIt(`${base}/never`))).toBe(
      `${base}/never: the server answers 503, again and again; try later, what has come is kept.`,
    )
    expect(asked).toHaveLength(4)
  })

  test('gives up on a server that always breaks at the same place, and keeps the part', async () => {
    const { base, asked } = await start((q, a) => {
      delete q.headers.range
      sendFile(q, a, content, { cutAfter: 100_000 })
    })
    expect(await sentence(fetchIt(`${base}/data.bin`))).toMatch(
      /broke, again and again .* what has come is kept/,
    )
    expect(asked).toHaveLength(4)
    expect(readFileSync(`${file()}.part`).length).toBe(100_000)
  })

  test.each([
    [404, /the server has no such file \(404\); it has moved, give url or mirror/],
    [403, /does not hand it out \(403\)/],
    [418, /the server answers 418 instead of the file/],
  ])('says at once what a %i means', async (status, expected) => {
    const { base, asked } = await start((_, a) => a.writeHead(status).end('no'))
    expect(await sentence(fetchIt(`${base}/data.bin`))).toMatch(expected)
    expect(asked).toHaveLength(1)
    expect(readdirSync(folder)).toEqual([])
  })

  test('says what is wrong with an address', async () => {
    const { base } = await start(() => {})
    await server?.close()
    expect(await sentence(fetchIt(`${base}/data.bin`))).toMatch(/refuses the connection; check the address/)
    expect(await sentence(fetchIt('ftp://example.org/x'))).toMatch(/no address to download from/)
    expect(await sentence(fetchIt('data.bin'))).toMatch(/no address to download from/)
  })

  test('says that it cannot write', async () => {
    const { base } = await start((q, a) => sendFile(q, a, content))
    const nowhere = download(`${base}/data.bin`, join(folder, 'none', 'data.bin'))
    expect(await sentence(nowhere)).toMatch(/there is no folder .*none; create it first/)
  })
})

describe('a checksum', () => {
  const digest = createHash('md5').update(content).digest('hex')

  test('that is wrong removes the file', async () => {
    const { base } = await start((q, a) => sendFile(q, a, other))
    const url = `${base}/data.bin`
    const check = (path: string) => checkDigest(path, 'md5', digest, url)
    expect(await sentence(fetchIt(url, { check }))).toMatch(
      /the file that came is not the right one .* it has been removed/,
    )
    expect(readdirSync(folder)).toEqual([])
  })

  test('that is right lets it pass', async () => {
    const { base } = await start((q, a) => sendFile(q, a, content))
    await fetchIt(`${base}/data.bin`, { check: (path) => checkDigest(path, 'md5', digest, base) })
    await expectWhole()
  })

  test('is read from either usual kind of file beside the data, or not at all', async () => {
    const texts: Record<string, string> = {
      '/gnu': `${digest.toUpperCase()}  data.bin\n`,
      '/bsd': `MD5 (data.bin) = ${digest}\n`,
      '/page': '<html>not found</html>',
    }
    const { base } = await start((q, a) => a.writeHead(texts[q.url!] ? 200 : 404).end(texts[q.url!]))
    const read = (path: string) => expectedDigest({ algorithm: 'md5', url: base + path })
    expect(await Promise.all(['/gnu', '/bsd', '/page', '/none'].map(read))).toEqual([
      digest,
      digest,
      undefined,
      undefined,
    ])
    expect(existsSync(file())).toBe(false)
  })
})
