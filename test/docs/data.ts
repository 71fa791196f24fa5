/** Writers of small data for examples: tables, tensors, pictures and models under the names that pages use. */
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { complete, tensorFromRecords, writeModel, writeTensor } from '#lacuna/index.js'
import { writePng } from '#lacuna/io/node/index.js'
import { root } from './blocks.ts'

/** Real data beside the repository, not in it: the sets keep their own terms. */
export const REAL = join(root, '../shared/data')
/** Whether the real data is there. */
export const hasReal = existsSync(join(REAL, 'README.md'))

/** A number from 0 to 1 that looks random, by a seed. */
export function noise(n: number): number {
  let x = Math.imul(n + 1, 0x9e3779b1)
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b)
  return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32
}
/** A day as a date, from 1 January 2024. */
export const isoDate = (day: number): string =>
  new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)
/** The numbers from 0 to n − 1. */
export const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
/** Writes a CSV file. */
export const table = (cwd: string, name: string, head: string, rows: readonly (string | number)[][]): void =>
  writeFileSync(join(cwd, name), `${head}\n${rows.map((row) => row.join(',')).join('\n')}\n`)

/** Ratings of 40 films with a time; users are 1 to 60 by default, films 300 to 339. */
const ratingRows = (users = 60): (string | number)[][] =>
  count(users).flatMap((u) =>
    count(40)
      .filter((f) => noise(u * 40 + f) < 0.4)
      .map((f) => [u + 1, 300 + f, 1 + (u % 3) + (f % 3), 964_982_703 + 90_000 * ((u * 7 + f) % 50)]),
  )

/** Ratings, and files about the same users and films: queries, held-out ratings, new ones. */
export function ratings(cwd: string): void {
  const rows = ratingRows()
  const three = rows.map((row) => row.slice(0, 3))
  table(cwd, 'ratings.csv', 'userId,movieId,rating', three)
  table(cwd, 'queries.csv', 'userId,movieId', [
    [42, 318],
    [42, 319],
    [1, 300],
  ])
  table(
    cwd,
    'held-out.csv',
    'userId,movieId,rating',
    three.filter((_, i) => i % 9 === 0),
  )
  table(cwd, 'me.csv', 'userId,movieId,rating', [
    ['me', 301, 5],
    ['me', 302, 1],
    ['me', 303, 4],
  ])
  table(cwd, 'more.csv', 'userId,movieId,rating', [
    [42, 320, 3],
    ['new', 320, 4],
  ])
  table(cwd, 'wanted.csv', 'userId,movieId,rating', [
    [42, 318, ''],
    [1, 300, 4],
    [2, 301, ''],
  ])
}

/** MovieLens latest-small in the folder ml, as if it had been fetched: the real one if it is at hand. */
export function movielens(cwd: string, real = hasReal, users = 60): void {
  const ml = join(cwd, 'ml')
  mkdirSync(ml)
  const files = ['ratings.csv', 'movies.csv', 'README.txt']
  if (real) for (const file of files) cpSync(join(REAL, 'movielens', file), join(ml, file))
  else {
    table(ml, 'ratings.csv', 'userId,movieId,rating,timestamp', ratingRows(users))
    table(
      ml,
      'movies.csv',
      'movieId,title,genres',
      count(40).map((f) => [300 + f, `Film ${f}`, f % 2 ? 'Drama|War' : 'Comedy']),
    )
    writeFileSync(join(ml, 'README.txt'), 'A synthetic set.\n')
  }
  const sizes = Object.fromEntries(files.map((file) => [file, statSync(join(ml, file)).size]))
  writeFileSync(join(ml, '.lacuna.json'), JSON.stringify(sizes))
}

/** Keeps the first lines of a file. */
export const shorten = (path: string, lines: number): void =>
  writeFileSync(path, `${readFileSync(path, 'utf8').split('\n').slice(0, lines).join('\n')}\n`)

/** Sales of 4 shops on 29 days as a long table, and of weekdays as a wide and a long one with gaps. */
export function shops(cwd: string, name = 'sales.csv'): void {
  const names = ['mitte', 'nord', 'west', 'ost']
  const sold = (shop: number, day: number): number =>
    Math.round(
      (20 + 9 * shop) * (1 + 0.3 * Math.sin((2 * Math.PI * day) / 7)) * (1 + 0.05 * noise(shop * 99 + day)),
    )
  table(
    cwd,
    name,
    'shop,date,sold',
    count(29).flatMap((day) => names.map((shop, s) => [shop, isoDate(92 + day), sold(s, day)])),
  )
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
  table(
    cwd,
    'table.csv',
    `day,${names.join(',')}`,
    days.map((day, d) => [day, ...names.map((_, s) => (noise(d * 7 + s) < 0.2 ? '' : sold(s, d)))]),
  )
  const cells = days.flatMap((day, d) => names.map((shop, s) => [day, shop, sold(s, d)]))
  table(
    cwd,
    'days.csv',
    'day,shop,sold',
    cells.filter((_, n) => noise(n) < 0.8),
  )
}

/** Pickups of a few days, as in the files of FiveThirtyEight. */
export function uber(cwd: string): void {
  for (const [month, name] of [
    [4, 'apr14'],
    [5, 'may14'],
    [6, 'jun14'],
  ])
    table(
      cwd,
      `uber-raw-data-${name}.csv`,
      '"Date/Time","Lat","Lon","Base"',
      count(300).map((n) => [
        `"${month}/${1 + (n % 9)}/2014 ${n % 24}:0${n % 6}:00"`,
        (40.7 + 0.005 * (n % 7)).toFixed(4),
        (-74 + 0.005 * (n % 5)).toFixed(4),
        '"B02512"',
      ]),
    )
}

/** A tensor of rank 1 in a .tns file, as counts or with noise. */
export function tensor(
  cwd: string,
  name: string,
  dims: readonly number[],
  entries: number,
  { counts = false, spread = 0 } = {},
): void {
  const seen = new Set<string>()
  const lines: string[] = []
  for (let n = 0; lines.length < entries && n < 20 * entries; n++) {
    const at = dims.map((size, mode) => Math.floor(size * noise(n * 8 + mode)))
    const key = at.join(' ')
    if (seen.has(key)) continue
    seen.add(key)
    const factor = 3 * (1 + spread * (noise(n * 8 + 7) - 0.5))
    const value = factor * at.reduce((product, i, mode) => product * (0.5 + noise(1e6 + mode * 5000 + i)), 1)
    lines.push(`${at.map((i) => i + 1).join(' ')} ${counts ? Math.round(value) : value.toFixed(4)}`)
  }
  writeFileSync(join(cwd, name), `${lines.join('\n')}\n`)
}

/** Passengers of three months, at four stations. */
function passengers(cwd: string): void {
  for (const [month, name] of [
    ['04', 'april'],
    ['05', 'may'],
    ['06', 'june'],
  ])
    table(
      cwd,
      `${name}.csv`,
      'station,time,passengers',
      count(200).map((n) => [
        ['Mitte', 'Nord', 'West', 'Ost'][n % 4],
        `2024-${month}-${String(1 + (n % 28)).padStart(2, '0')} ${String((n * 5) % 24).padStart(2, '0')}:00:00`,
        10 + (n % 4) * ((n * 5) % 24),
      ]),
    )
}

/** Files of docs/data.md. */
export async function dataFiles(cwd: string): Promise<void> {
  movielens(cwd)
  for (const file of ['ratings.csv', 'movies.csv']) cpSync(join(cwd, 'ml', file), join(cwd, file))
  table(
    cwd,
    'trips.csv',
    'pickup,station',
    count(80).map((n) => [`${1 + (n % 12)}/${1 + (n % 28)}/2024 ${n % 24}:30`, `s${n % 4}`]),
  )
  table(
    cwd,
    'rides.csv',
    'pickup,station,riders',
    count(400).map((n) => [
      `${isoDate(n % 14)} ${String(n % 24).padStart(2, '0')}:30:00`,
      ['Mitte', 'Nord', 'West'][n % 3],
      5 + (n % 24),
    ]),
  )
  table(
    cwd,
    'sales.csv',
    'customer,sold,amount',
    count(200).map((n) => [`c${n % 12}`, isoDate((n * 7) % 300), 5 + (n % 9)]),
  )
  shops(cwd, 'shops.csv')
  table(
    cwd,
    'prices.csv',
    'day,shop,price',
    count(40).map((n) => [isoDate(n % 10), `s${Math.floor(n / 10)}`, `"${1 + n},50 €"`]),
  )
  table(
    cwd,
    'surveys.csv',
    'region,question,week,mean,respondents',
    count(120).map((n) => [
      `r${n % 6}`,
      `q${Math.floor(n / 6) % 5}`,
      1 + Math.floor(n / 30),
      (1 + noise(n)).toFixed(2),
      10 + (n % 7),
    ]),
  )
  table(
    cwd,
    'flow.csv',
    `station,${count(14).map(isoDate).join(',')}`,
    count(5).map((s) => [`s${s}`, ...count(14).map((d) => 10 + s * d)]),
  )
  writeFileSync(
    join(cwd, 'tage.csv'),
    `Filiale;${count(9)
      .map((d) => `0${d + 1}.01.2024`)
      .join(';')}\n${count(5)
      .map(
        (s) =>
          `s${s};${count(9)
            .map((d) => `${10 + s * d},5`)
            .join(';')}\n`,
      )
      .join('')}`,
  )
  writeFileSync(
    join(cwd, 'ratings.dat'),
    ratingRows()
      .map((row) => `${row.join('::')}\n`)
      .join(''),
  )
  uber(cwd)
  passengers(cwd)
  const database = await DuckDBInstance.create(join(cwd, 'shop.duckdb'))
  const connection = await database.connect()
  await connection.run(`CREATE TABLE sales AS SELECT 'c' || (n % 9) AS customer, 'p' || (n % 5) AS product,
    DATE '2024-01-01' + (n % 90)::INTEGER AS sold, 1.5 + n % 7 AS amount FROM range(300) t(n)`)
  connection.closeSync()
  database.closeSync()
}

/** A picture of 64 × 48 pixels, by its name. */
export async function photo(cwd: string, name: string): Promise<void> {
  const [width, height] = [64, 48]
  const data = Uint8Array.from(count(3 * width * height), (n) => {
    const [pixel, c] = [Math.floor(n / 3), n % 3]
    return 60 + 3 * (c === 0 ? pixel % width : Math.floor(pixel / width)) + (noise(pixel) < 0.05 ? 40 : 0)
  })
  const png = join(cwd, 'photo.png')
  await writePng(png, { width, height, channels: 3, maximum: 255, data })
  if (name !== 'photo.png') await (await import('sharp')).default(png).toFile(join(cwd, name))
}

/** A small model of films: 30 users u0 … and 20 films f0 …. */
export async function films(cwd: string): Promise<void> {
  const rows = count(600)
    .map((n) => ({
      user: `u${Math.floor(n / 20)}`,
      film: `f${n % 20}`,
      stars: 1 + (Math.floor(n / 20) % 3) + (n % 3),
    }))
    .filter((_, n) => noise(n) < 0.6)
  const { model } = await complete(
    await tensorFromRecords(rows, { modes: ['user', 'film'], value: 'stars' }),
    { rank: 3, epochs: 20, threads: 1 },
  )
  await writeModel(join(cwd, 'films.npz'), model)
}

/** The example of docs/formats.md: films seen in two weeks. */
export async function seenFilms(cwd: string): Promise<void> {
  const rows = [
    ['ann', 'Metropolis', '2024-01-01', 4.5],
    ['bob', 'M, 1931', '2024-01-01', 4],
    ['bob', 'Playtime', '2024-01-08', 5],
  ]
  const records = rows.map(([user, film, seen, rating]) => ({ user, film, seen, rating }))
  const tensor = await tensorFromRecords(records, { modes: ['user', 'film', 'week(seen)'], value: 'rating' })
  const { model } = await complete(tensor, { rank: 1, threads: 1 })
  await writeModel(join(cwd, 'model.npz'), model)
  await writeTensor(join(cwd, 'ratings.npz'), tensor)
}
