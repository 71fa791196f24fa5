import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
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
import { type Server, serveFiles } from './server.ts'

const text = (content: string) => new TextEncoder().encode(content)
const ratings = 'userId,movieId,rating,timestamp\n1,1,4.0,964982703\n'
const zip = zipSync({ 'ml/ratings.csv': text(ratings), 'ml/README.txt': text('terms') })
const digest = createHash('sha256').update(zip).digest('hex')

let folder = ''
let server: Server
let files: Record<string, Uint8Array> = {}
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'lacuna-fetch-')), 'set')
  files = { '/ml.zip': zip, '/a.csv': text('a'), '/b.csv': text('b') }
  server = await serveFiles(files)
})
afterEach(async () => {
  await server.close()
  rmSync(join(folder, '..'), { recursive: true })
})

const set = (downloads: Dataset['downloads']): Dataset => ({
  name: 'small',
  title: 'Small',
  entries: 1,
  modes: 'a × b',
  terms: 'none',
  page: 'https://example.org/',
  downloads,
  files: [],
  options: '',
})
const zipped = (checksum?: string): Dataset =>
  set([
    {
      url: `${server.base}/ml.zip`,
      checksum: checksum === undefined ? undefined : { algorithm: 'sha256', digest: checksum },
      unpack: { 'ml/ratings.csv': 'ratings.csv', 'ml/README.txt': 'README.txt' },
    },
  ])

test('a download that fails leaves no folder that was made for it', async () => {
  const missing = set([{ url: `${server.base}/missing.csv` }])
  await expect(fetchDataset(missing, { folder })).rejects.toThrow()
  expect(existsSync(folder)).toBe(false)
})

test('a set is unpacked without its zip, and nothing is downloaded the second time unless forced', async () => {
  const fetched = await fetchDataset(zipped(digest), { folder })
  expect(fetched).toEqual({
    files: ['ratings.csv', 'README.txt'].map((file) => join(folder, file)),
    cached: false,
    verified: true,
  })
  expect(readFileSync(fetched.files[0], 'utf8')).toBe(ratings)
  expect(readdirSync(folder).sort()).toEqual(['.lacuna.json', 'README.txt', 'ratings.csv'])
  expect(await fetchDataset(zipped(digest), { folder })).toEqual({ ...fetched, cached: true })
  expect(server.requested).toEqual(['/ml.zip'])
  expect(await fetchDataset(zipped(digest), { folder, force: true })).toMatchObject({ cached: false })
  expect(server.requested).toHaveLength(2)
})

test('a set of which a file was lost or truncated is fetched again', async () => {
  const { files } = await fetchDataset(zipped(digest), { folder })
  truncateSync(files[0], 3)
  expect(await fetchDataset(zipped(digest), { folder })).toMatchObject({ cached: false })
  rmSync(files[1])
  expect(await fetchDataset(zipped(digest), { folder })).toMatchObject({ cached: false })
  expect(readFileSync(files[0], 'utf8')).toBe(ratings)
})

test('a zip with a wrong checksum, or a damaged one without a checksum, leaves nothing in the folder', async () => {
  await expect(fetchDataset(zipped('0'.repeat(64)), { folder })).rejects.toThrow(/not the right one/)
  expect(existsSync(folder)).toBe(false)
  files['/ml.zip'] = zip.slice(0, zip.length - 30)
  await expect(fetchDataset(zipped(), { folder })).rejects.toThrow(/truncated or damaged/)
  expect(existsSync(folder)).toBe(false)
})

test('a file without a known digest is reported as unverified, with its SHA-256', async () => {
  const plain = set([{ url: `${server.base}/a.csv` }])
  const notices: string[] = []
  const onUnverified = (sentence: string) => notices.push(sentence)
  expect(await fetchDataset(plain, { folder, onUnverified })).toMatchObject({ verified: false })
  const sha256 = createHash('sha256').update('a').digest('hex')
  expect(notices).toEqual([`a.csv is unverified: no digest of it is known here. Its SHA-256 is ${sha256}.`])
  await fetchDataset(zipped(digest), { folder, force: true, onUnverified })
  expect(notices).toHaveLength(1)
})

test('a file larger than its set can be is refused', async () => {
  files['/a.csv'] = new Uint8Array(2 ** 20 + 65)
  await expect(fetchDataset(set([{ url: `${server.base}/a.csv` }]), { folder })).rejects.toThrow(
    /sends more than the 1048640 bytes/,
  )
  files['/a.csv'] = new Uint8Array(11)
  await expect(
    fetchDataset(set([{ url: `${server.base}/a.csv`, byteLength: 10 }]), { folder }),
  ).rejects.toThrow(/sends more than the 10 bytes/)
  expect(existsSync(folder)).toBe(false)
})

test('a set of several files is complete only when all of them are there', async () => {
  const several = set(['a', 'b', 'c'].map((name) => ({ url: `${server.base}/${name}.csv` })))
  await expect(fetchDataset(several, { folder })).rejects.toThrow(/c\.csv failed: the server answers 404/)
  files['/c.csv'] = text('c')
  const fetched = await fetchDataset(several, { folder })
  expect(fetched.files.map((path) => readFileSync(path, 'utf8'))).toEqual(['a', 'b', 'c'])
})

test('a file in place of the folder is refused and named', async () => {
  writeFileSync(folder, '')
  await expect(fetchDataset(zipped(digest), { folder })).rejects.toThrow(/this is a file; name a folder/)
})

describe('the catalogue', () => {
  test('the catalogue names every set once, with files that its downloads contain, https addresses and whole digests', () => {
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
        if (checksum)
          expect(checksum.digest).toMatch(checksum.algorithm === 'md5' ? /^[0-9a-f]{32}$/ : /^[0-9a-f]{64}$/)
      }
    }
  })

  test("the catalogue has the paper's two sets, with its dims", () => {
    expect(findDataset('movielens-10m')).toMatchObject({ dims: [71567, 65133, 730], entries: 10_000_054 })
    expect(findDataset('uber-pickups')).toMatchObject({ dims: [183, 24, 1140, 1717], entries: 3_309_490 })
    expect(downloadSize(findDataset('movielens-10m'))).toBe(65_566_137)
    expect(downloadSize(findDataset('uber-pickups'))).toBeUndefined()
  })

  test('the catalogue proposes similar names for an unknown one', () => {
    expect(() => findDataset('10m')).toThrow('There is no data set called 10m; did you mean movielens-10m?')
    expect(() => findDataset('netflix')).toThrow(
      'There is no data set called netflix; there are movielens-latest-small, ',
    )
  })
})

test('the cache folder is $LACUNA_CACHE, else lacuna in $XDG_CACHE_HOME or ~/.cache', () => {
  expect(cacheFolder({ LACUNA_CACHE: '/x', XDG_CACHE_HOME: '/y' })).toBe('/x')
  expect(cacheFolder({ XDG_CACHE_HOME: '/y' })).toBe('/y/lacuna')
  expect(cacheFolder({})).toMatch(/\/\.cache\/lacuna$/)
})
