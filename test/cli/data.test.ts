import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { readTensor } from '#lacuna/io/node/index.js'
import { type Server, serveFiles } from './datasets/server.ts'
import { lacuna } from './lacuna.ts'

const text = (s: string) => new TextEncoder().encode(s)
const months = ['apr', 'may', 'jun', 'jul', 'aug', 'sep']
const files: Record<string, Uint8Array> = {
  '/ml-latest-small.zip': zipSync({
    'ml-latest-small/ratings.csv': text('userId,movieId,rating,timestamp\n1,1,4.0,964982703\n'),
    'ml-latest-small/movies.csv': text('movieId,title,genres\n1,Toy Story (1995),Animation\n'),
    'ml-latest-small/README.txt': text('terms'),
  }),
  '/ml-10m.zip': zipSync({ 'ml-10M100K/ratings.dat': text('1::122::5::838985046\n') }),
  '/nips.tns.gz': gzipSync('1 1 1 1 2\n2 1 3 1 4\n'),
  ...Object.fromEntries(months.map((m) => [`/uber-raw-data-${m}14.csv`, text(`"Date/Time"\n${m}\n`)])),
}
let server: Server
beforeAll(async () => {
  server = await serveFiles(files)
})
afterAll(() => server.close())

const cache = mkdtempSync(join(tmpdir(), 'lacuna-cache '))
afterEach(() => {
  server.requested.length = 0
})
afterAll(() => rmSync(cache, { recursive: true }))
/** Runs `lacuna data …` with all hosts replaced by the local server. */
const run = (...args: string[]) =>
  lacuna(['data', ...args], {
    alone: true,
    env: {
      LACUNA_CACHE: cache,
      TEST_SERVER: server.base,
      NODE_OPTIONS: `--import ${new URL('./datasets/localHosts.mjs', import.meta.url)}`,
    },
  })

it('data lists the sets for people and for programs', async () => {
  const { code, stdout } = await run()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^movielens-10m +10,000,054 +65\.6 MB +yes +user × movie × week, 71567×65133×730$/m)
  expect(stdout).toContain('https://grouplens.org/datasets/movielens/')
  const sets = JSON.parse((await run('list', '--json')).stdout)
  expect(sets.find((set: { name: string }) => set.name === 'movielens-10m')).toMatchObject({
    entries: 10_000_054,
    downloadBytes: 65_566_137,
    command: `lacuna complete '${cache}/movielens-10m/ratings.dat' --recipe movielens --rank 10 --test 0.1`,
  })
  expect(server.requested).toEqual([])
})

it('data fetch puts a set into the cache once, and prints what to type next', async () => {
  const path = join(cache, 'movielens-latest-small', 'ratings.csv')
  const first = await run('fetch', 'movielens-latest-small')
  expect(first.code).toBe(0)
  expect(first.stdout.split('\n')).toEqual([
    path,
    join(cache, 'movielens-latest-small', 'movies.csv'),
    join(cache, 'movielens-latest-small', 'README.txt'),
    '',
    'Next:',
    `  lacuna complete '${path}' --recipe movielens --rank 10 --test 0.1`,
    '',
  ])
  expect(first.stderr).toMatch(/Terms: research only/)
  expect(readFileSync(path, 'utf8')).toMatch(/^userId/)
  server.requested.length = 0
  const second = await run('fetch', 'movielens-latest-small')
  expect(second.stdout).toBe(first.stdout)
  expect(second.stderr).toMatch(/It is here already; --force downloads it again/)
  expect(server.requested).toEqual([])
  // A file without a digest is reported even with --quiet.
  expect((await run('fetch', 'movielens-latest-small', '--force', '--quiet')).stderr).toMatch(
    /^ml-latest-small\.zip is unverified: no digest of it is known here\. Its SHA-256 is [0-9a-f]{64}\.\n$/,
  )
  expect(server.requested).toHaveLength(1)
})

it('data fetch puts the six months of Uber into a folder, all named in the command', async () => {
  const folder = join(cache, 'here')
  const { code, stdout } = await run('fetch', 'uber-pickups', '-o', folder, '--json')
  expect(code).toBe(0)
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ name: 'uber-pickups', folder, cached: false })
  expect(report.files).toEqual(months.map((m) => join(folder, `uber-raw-data-${m}14.csv`)))
  expect(report.command).toMatch(/^lacuna complete .*apr14.*sep14.csv' --recipe uber --rank 10 --test 0.1$/)
})

it('data fetch downloads a tensor of FROSTT, which complete reads as it is', async () => {
  const { code, stdout } = await run('fetch', 'frostt-nips')
  expect(code).toBe(0)
  expect((await readTensor(stdout.split('\n')[0])).dims).toEqual([2, 1, 3, 1])
})

it('data refuses in one sentence, and exits with 2', async () => {
  const wrong = await run('fetch', 'movielens-10m', '--quiet')
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toMatch(/^lacuna: https:.*ml-10m\.zip: the file that came is not the right one .*\n$/)
  expect(existsSync(join(cache, 'movielens-10m'))).toBe(false)
  const missing = await run('fetch', 'frostt-enron', '--quiet')
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^lacuna: .*404.*\n$/) })
  for (const args of [['fetch'], ['lst'], ['fetch', 'kinetic', '--moo']])
    expect((await run(...args)).code).toBe(2)
  expect(await run('fetch', 'netflix')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/no data set/),
  })
})
