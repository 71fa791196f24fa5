import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DownloadOptions, download } from '#cli/datasets/download.ts'
import { sentence } from '../../lacuna/io/pieces.ts'
import { type Server, serve, serveFiles } from './server.ts'

const content = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 24)
const digest = (algorithm: string) => createHash(algorithm).update(content).digest('hex')

let folder = ''
let server: Server | undefined
const fetchFile = (path: string, options?: DownloadOptions) =>
  download(`${server!.base}/${path}`, join(folder, 'data.bin'), options)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lacuna-download-'))
})
afterEach(async () => {
  await server?.close()
  server = undefined
  rmSync(folder, { recursive: true })
})

function expectFile(bytes: Uint8Array = content): void {
  expect(readFileSync(join(folder, 'data.bin')).equals(bytes)).toBe(true)
  expect(readdirSync(folder)).toEqual(['data.bin'])
}

test('a download writes the whole file and nothing else, reports progress and returns the digest', async () => {
  server = await serveFiles({ '/data.bin': content })
  const progress: [number, number | undefined][] = []
  const sha256 = await fetchFile('data.bin', { onProgress: (...at) => progress.push(at) })
  expectFile()
  expect(sha256).toBe(digest('sha256'))
  expect(progress.at(-1)).toEqual([content.length, content.length])
  expect(progress.every(([bytes], i) => i === 0 || bytes >= progress[i - 1][0])).toBe(true)
})

test('a download follows redirects, but not for ever and not to an address without encryption', async () => {
  const targets: Record<string, string> = {
    '/old': '/data.bin',
    '/round': '/round',
    '/plain': 'http://example.org/a.csv',
  }
  server = await serve(({ url }, response) => {
    if (url === '/data.bin') response.end(content)
    else response.writeHead(302, { location: targets[url!] }).end()
  })
  await fetchFile('old')
  expectFile()
  expect(await sentence(fetchFile('round'))).toMatch(/redirects without end/)
  expect(await sentence(fetchFile('plain'))).toMatch(/example.org\/a.csv is not an encrypted address/)
})

test.each([
  'http://example.org/a.csv',
  'http://192.168.0.7/a.csv',
  'http://127.0.0.1.example.org/a.csv',
  'http://localhost.example.org/a.csv',
  'file:///etc/passwd',
  'ftp://example.org/a.csv',
])('the address %s is refused because it is not encrypted', async (url) => {
  expect(await sentence(download(url, join(folder, 'data.bin')))).toMatch(/not an encrypted address/)
  expect(readdirSync(folder)).toEqual([])
})

test('a .gz that the server labels as gzip is stored as it is, and any other compression is refused', async () => {
  const packed = gzipSync(content)
  server = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
  await fetchFile('data.tns.gz')
  expectFile(packed)
  expect(await sentence(fetchFile('data.csv'))).toMatch(/compresses the file on the way \(gzip\)/)
})

test('an interrupted, broken or refused download leaves the file of before, and no part', async () => {
  server = await serve(({ url }, response) => {
    if (url === '/none') response.writeHead(404).end('no')
    else {
      response.writeHead(200, { 'content-length': content.length }).write(content.subarray(0, 100_000))
      if (url === '/cut') setTimeout(() => response.destroy(), 100)
    }
  })
  const before = new Uint8Array([1, 2, 3])
  writeFileSync(join(folder, 'data.bin'), before)
  const stop = new AbortController()
  const options = { signal: stop.signal, onProgress: () => stop.abort() }
  await expect(fetchFile('stopped', options)).rejects.toThrow(/abort/)
  expectFile(before)
  expect(await sentence(fetchFile('cut'))).toMatch(
    /^http:\/\/127.0.0.1:\d+\/cut: the download of data.bin failed: .*; check the network, or fetch the file by another tool\.$/,
  )
  expectFile(before)
  expect(await sentence(fetchFile('none'))).toMatch(/failed: the server answers 404; check/)
  expectFile(before)
})

test('a server that cannot be reached is named with the cause, and the proxy with what Node needs to use it', async () => {
  server = await serve(() => {})
  await server.close()
  expect(await sentence(fetchFile('data.bin'))).toMatch(
    /^http:\/\/127.0.0.1:\d+\/data.bin: .* failed: .*ECONNREFUSED.*; check the network/,
  )
  const given = process.env.HTTPS_PROXY
  process.env.HTTPS_PROXY = 'http://proxy:3128'
  try {
    expect(await sentence(fetchFile('data.bin'))).toMatch(/NODE_USE_ENV_PROXY=1\.$/)
  } finally {
    if (given === undefined) delete process.env.HTTPS_PROXY
    else process.env.HTTPS_PROXY = given
  }
})

test('a file that cannot be written is named, not the network', async () => {
  server = await serveFiles({ '/data.bin': content })
  const nowhere = download(`${server.base}/data.bin`, join(folder, 'none', 'data.bin'))
  expect(await sentence(nowhere)).toMatch(/there is no folder .*none; create it first/)
})

test('a file larger than allowed is refused, whether its size is announced or not', async () => {
  server = await serve(({ url }, response) => {
    if (url === '/announced') response.writeHead(200, { 'content-length': content.length })
    response.end(content)
  })
  for (const path of ['announced', 'endless'])
    expect(await sentence(fetchFile(path, { maxBytes: 1000 }))).toMatch(/sends more than the 1000 bytes/)
  expect(readdirSync(folder)).toEqual([])
})

test.each(['md5', 'sha256'] as const)(
  'a file with another %s than expected is refused',
  async (algorithm) => {
    server = await serveFiles({ '/data.bin': content, '/other.bin': content.map((byte) => byte ^ 255) })
    const checksum = { algorithm, digest: digest(algorithm) }
    expect(await sentence(fetchFile('other.bin', { checksum }))).toMatch(
      /the file that came is not the right one .* it has been removed/,
    )
    expect(readdirSync(folder)).toEqual([])
    await fetchFile('data.bin', { checksum })
    expectFile()
  },
)
