import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  cacheFolder,
  catalogue,
  type Dataset,
  downloadSize,
  fetchDataset,
  findDataset,
} from '#cli/datasets/index.ts'
import { type Server, sendFile, serve } from './server.ts'

const ratings = 'userId,movieId,rating,timestamp\n1,1,4.0,964982703\n'
const zip = zipSync({
  'ml/ratings.csv': new TextEncoder().encode(ratings),
  'ml/README.txt': new TextEncoder().encode('terms'),
})
const digest = createHash('sha256').update(zip).digest('hex')

let folder = ''
let server: Server
let files: Record<string, Uint8Array> = {}
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'lacuna-fetch-')), 'set')
  files = { '/ml.zip': zip }
  server = await serve((q, a) => {
    if (files[q.url!]) sendFile(q, a, files[q.url!])
    else a.writeHead(404).end()
  })
})
afterEach(async () => {
  await server.close()
  rmSync(join(folder, '..'), { recursive: true })
})

const small = (checksum = digest): Dataset => ({
  name: 'small',
  title: 'Small',
  entries: 1,
  modes: 'a × b',
  terms: 'none',
  page: 'https://example.org/',
  downloads: [
    {
      url: 'https://example.org/original/ml.zip',
      checksum: { algorithm: 'sha256', digest: checksum },
      unpack: { 'ml/ratings.csv': 'ratings.csv', 'ml/README.txt': 'README.txt' },
    },
  ],
  files: ['ratings.csv'],
  options: '',
})
const fetchIt = (dataset: Dataset, options = {}) =>
  fetchDataset(dataset, { folder, mirror: `${server.base}/`, retryDelayMs: 1, ...options })

test('unpacks what is wanted, keeps no zip, and does nothing the second time', async () => {
  const fetched = await fetchIt(small())
  expect(fetched).toEqual({
    files: ['ratings.csv', 'README.txt'].map((f) => join(folder, f)),
    cached: false,
    verified: true,
  })
  expect(readFileSync(fetched.files[0], 'utf8')).toBe(ratings)
  expect(readdirSync(folder).sort()).toEqual(['.lacuna.json', 'README.txt', 'ratings.csv'])
  expect(await fetchIt(small())).toEqual({ ...fetched, cached: true })
  expect(server.asked).toEqual(['/ml.zip'])
  expect(await fetchIt(small(), { force: true })).toMatchObject({ cached: false })
  expect(server.asked).toHaveLength(2)
})

test('a file that was lost or cut since is fetched again', async () => {
  const { files } = await fetchIt(small())
  truncateSync(files[0], 3)
  expect(await fetchIt(small())).toMatchObject({ cached: false })
  rmSync(files[1])
  expect(await fetchIt(small())).toMatchObject({ cached: false })
  expect(readFileSync(files[0], 'utf8')).toBe(ratings)
})

test('a wrong checksum leaves nothing', async () => {
  await expect(fetchIt(small('0'.repeat(64)))).rejects.toThrow(/not the right one/)
  expect(readdirSync(folder)).toEqual([])
})

test('a zip that is damaged, though no checksum says so, is not kept', async () => {
  files['/ml.zip'] = zip.slice(0, zip.length - 30)
  const { checksum: _, ...unchecked } = small().downloads[0]
  const dataset = { ...small(), downloads: [unchecked] }
  await expect(fetchIt(dataset)).rejects.toThrow(/truncated or damaged/)
  expect(readdirSync(folder)).toEqual([])
})

test('a checksum that lies beside the file is looked up there; without it the file is taken with a word', async () => {
  const beside: Dataset = {
    ...small(),
    downloads: [
      { ...small().downloads[0], checksum: { algorithm: 'md5', url: 'https://example.org/ml.zip.md5' } },
    ],
  }
  const notices: string[] = []
  expect(await fetchIt(beside, { onUnverified: (notice: string) => notices.push(notice) })).toMatchObject({
    verified: false,
  })
  expect(notices).toEqual([
    `ml.zip is unverified: its server tells no digest, and none is known here. Its SHA-256 is ${digest}.`,
  ])
  files['/ml.zip.md5'] = new TextEncoder().encode('MD5 (ml.zip) = 0123456789abcdef0123456789abcdef')
  await expect(fetchIt(beside, { force: true })).rejects.toThrow(/not the right one/)
})

describe('what comes', () => {
  const plain: Dataset = { ...small(), downloads: [{ url: 'https://example.org/a.csv' }], files: ['a.csv'] }

  test('is called unverified, with its digest, where none is known; not where one is held', async () => {
    files['/a.csv'] = new TextEncoder().encode('a')
    const notices: string[] = []
    await fetchIt(plain, { onUnverified: (notice: string) => notices.push(notice) })
    const sha256 = createHash('sha256').update('a').digest('hex')
    expect(notices).toEqual([`a.csv is unverified: no digest of it is known here. Its SHA-256 is ${sha256}.`])
    notices.length = 0
    await fetchIt(small(), { force: true, onUnverified: (notice: string) => notices.push(notice) })
    expect(notices).toEqual([])
  })

  test.each([
    ['announced', true],
    ['not announced', false],
  ])('is no more than the set can have, whether its length is %s', async (_, announced) => {
    await server.close()
    server = await serve((_, a) => {
      // Who announces too much is not listened to: nothing more comes here.
      if (announced) a.writeHead(200, { 'content-length': 2 ** 40 }).write('a')
      else a.writeHead(200).end(new Uint8Array(2 ** 20 + 64 + 1))
    })
    await expect(fetchIt(plain)).rejects.toThrow(/sends more than the 1048640 bytes that this file can have/)
    const known = { ...plain, downloads: [{ ...plain.downloads[0], byteLength: 10 }] }
    await expect(fetchIt(known)).rejects.toThrow(/sends more than the 10 bytes/)
    expect(readdirSync(folder)).toEqual([])
  })

  test.each([
    ['http://example.org/a.csv', 'not encrypted'],
    ['http://192.168.0.7/a.csv', 'not encrypted'],
    ['http://127.0.0.1.example.org/a.csv', 'not encrypted'],
    ['http://localhost.example.org/a.csv', 'not encrypted'],
    ['file:///etc/passwd', 'no address to download from'],
    ['ftp://example.org/a.csv', 'no address to download from'],
  ])('does not come from %s', async (url, message) => {
    await expect(fetchIt(plain, { url, mirror: undefined })).rejects.toThrow(message)
  })

  test('is not sent on from this machine to one that does not encrypt', async () => {
    await server.close()
    server = await serve((_, a) => a.writeHead(302, { location: 'http://example.org/a.csv' }).end())
    await expect(fetchIt(plain)).rejects.toThrow('not encrypted')
  })
})

describe('two at once', () => {
  test('do not meet: the second is told of the first, which goes on', async () => {
    let release = () => {}
    await server.close()
    server = await serve((q, a) => {
      release = () => sendFile(q, a, zip)
    })
    const first = fetchIt(small())
    await expect.poll(() => server.asked.length).toBe(1)
    await expect(fetchIt(small())).rejects.toThrow(
      `another lacuna (process ${process.pid}) is fetching into this folder`,
    )
    release()
    expect(await first).toMatchObject({ cached: false })
    expect(readdirSync(folder).sort()).toEqual(['.lacuna.json', 'README.txt', 'ratings.csv'])
  })

  test('a lock that a killed process has left is taken over', async () => {
    mkdirSync(folder)
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    writeFileSync(join(folder, '.lacuna.lock'), JSON.stringify({ pid: gone, host: hostname() }))
    expect(await fetchIt(small())).toMatchObject({ cached: false })
    writeFileSync(join(folder, '.lacuna.lock'), JSON.stringify({ pid: gone, host: 'another machine' }))
    await expect(fetchIt(small(), { force: true })).rejects.toThrow(/another lacuna/)
  })
})

describe('several files', () => {
  const parts: Dataset = {
    ...small(),
    downloads: ['a.csv', 'b.csv', 'c.csv'].map((name) => ({ url: `https://example.org/${name}` })),
  }

  test('after a failure, only those that are missing are fetched', async () => {
    for (const name of ['a', 'b']) files[`/${name}.csv`] = new TextEncoder().encode(name)
    await expect(fetchIt(parts)).rejects.toThrow(/c\.csv: the server has no such file \(404\)/)
    files['/c.csv'] = new TextEncoder().encode('c')
    expect((await fetchIt(parts)).files.map((path) => readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'c'])
    expect(server.asked).toEqual(['/a.csv', '/b.csv', '/c.csv', '/c.csv'])
  })

  test('cannot all come from one address', async () => {
    await expect(fetchIt(parts, { url: `${server.base}/a.csv` })).rejects.toThrow(/give mirror/)
    expect(existsSync(folder)).toBe(false)
  })
})

describe('the catalogue', () => {
  test('names every set once, with files that its downloads bring, secure addresses and whole digests', () => {
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length)
    for (const { name, downloads, files, preparation, dims, entries, terms, page } of catalogue) {
      expect(name).toMatch(/^[a-z0-9-]+$/)
      expect(terms).not.toBe('')
      expect(URL.canParse(page)).toBe(true)
      expect(entries).toBeGreaterThan(0)
      if (dims) expect(dims.reduce((a, b) => a * b)).toBeGreaterThanOrEqual(entries)
      const brought = downloads.flatMap(({ url, unpack }) =>
        unpack ? Object.values(unpack) : [url.slice(url.lastIndexOf('/') + 1)],
      )
      if (preparation === undefined) expect(brought).toEqual(expect.arrayContaining([...files]))
      for (const { url, checksum } of downloads) {
        expect(url).toMatch(/^https:\/\//)
        if (checksum && 'digest' in checksum)
          expect(checksum.digest).toMatch(checksum.algorithm === 'md5' ? /^[0-9a-f]{32}$/ : /^[0-9a-f]{64}$/)
      }
    }
  })

  test("knows the paper's two sets by its dims", () => {
    expect(findDataset('movielens-10m')).toMatchObject({ dims: [71567, 65133, 730], entries: 10_000_054 })
    expect(findDataset('uber-pickups')).toMatchObject({ dims: [183, 24, 1140, 1717], entries: 3_309_490 })
    expect(downloadSize(findDataset('movielens-10m'))).toBe(65_566_137)
    expect(downloadSize(findDataset('uber-pickups'))).toBeUndefined()
  })

  test('helps with a name that is not quite one', () => {
    expect(() => findDataset('10m')).toThrow('There is no data set called 10m; did you mean movielens-10m?')
    expect(() => findDataset('netflix')).toThrow(
      'There is no data set called netflix; there are movielens-latest-small, ',
    )
  })
})

test('the cache folder is the one asked for, else where caches are', () => {
  expect(cacheFolder({ LACUNA_CACHE: '/x', XDG_CACHE_HOME: '/y' })).toBe('/x')
  expect(cacheFolder({ XDG_CACHE_HOME: '/y' })).toBe('/y/lacuna')
  expect(cacheFolder({})).toMatch(/\/\.cache\/lacuna$/)
})
