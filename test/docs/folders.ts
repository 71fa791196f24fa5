/** Prepared folders: for every page, small data under the names that its examples use. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './blocks.ts'
import {
  count,
  dataFiles,
  films,
  isoDate,
  movielens,
  noise,
  photo,
  ratings,
  seenFilms,
  shops,
  shorten,
  table,
  tensor,
  uber,
} from './data.ts'

/** A page's folder: what to write, the commands to run first, and declarations for its TypeScript blocks. */
export interface Folder {
  write?(cwd: string): Promise<void> | void
  /** Commands of lacuna that make models that the page takes for granted. */
  first?: string[]
  /** Called before the command that begins so, to make long work short. */
  ahead?: readonly [start: string, change: (cwd: string) => void]
  /** Statements before the TypeScript block with this number, from 0; imports included. */
  before?: string[]
}

/** The pages that have examples, and what each needs. */
export const FOLDERS: Readonly<Record<string, Folder>> = {
  'README.md': {
    async write(cwd) {
      ratings(cwd)
      movielens(cwd, false, 18)
      shops(cwd)
      tensor(cwd, 'data.tns', [20, 15, 10], 600)
      await photo(cwd, 'photo.jpg')
    },
  },
  'docs/accuracy.md': {
    write(cwd) {
      for (const part of ['train', 'test']) {
        tensor(cwd, `RM30.${part}.tns`, [80, 108, 25], part === 'train' ? 4000 : 400)
        execFileSync('gzip', [join(cwd, `RM30.${part}.tns`)])
      }
      tensor(cwd, 'counts.tns', [20, 15, 10], 600, { counts: true })
      tensor(cwd, 'trips.tns', [6, 5, 48], 900, { counts: true })
      const pickups = count(300).map((n) => [
        `${isoDate(n % 7)} ${String(n % 24).padStart(2, '0')}:0${n % 6}`,
        (40.7 + 0.005 * (n % 7)).toFixed(4),
        (-74 + 0.005 * (n % 5)).toFixed(4),
      ])
      table(cwd, 'pickups.csv', 't,latitude,longitude', pickups)
    },
    before: [
      `import { complete, tensorFromRecords } from 'lacuna'
      const rows = Array.from({ length: 900 }, (_, n) => ({ origin: n % 3, destination: n % 5, hour: n % 48, trips: 1 + (n % 4) }))
      const cells = [...new Map(rows.map((row) => [[row.origin, row.destination, row.hour].join(), row])).values()]
      const tensor = await tensorFromRecords(cells, { modes: ['origin', 'destination', 'hour'], value: 'trips' })`,
    ],
  },
  'docs/answers.md': {
    async write(cwd) {
      ratings(cwd)
      movielens(cwd)
      shops(cwd)
      uber(cwd)
      tensor(cwd, 'metro.tns', [6, 12, 8], 450)
      table(
        cwd,
        'sensors.csv',
        'sensor,time,temp',
        count(300)
          .filter((n) => noise(n) < 0.8)
          .map((n) => [
            `s${n % 5}`,
            `${isoDate(Math.floor(n / 5 / 24))} ${String(Math.floor(n / 5) % 24).padStart(2, '0')}:00:00`,
            10 + (n % 5) + 3 * Math.sin(n / 5 / 4),
          ]),
      )
      table(cwd, 'more.csv', 'userId,movieId,rating', [
        [42, 318, 5],
        ['new', 318, 4],
      ])
    },
    first: [
      'complete sales.csv --modes shop date --value sold --lags date=1,7 --no-choose --rank 3 -o sales.npz',
      'complete days.csv --modes day shop --value sold --rank 2 -o shops.npz',
      'complete ratings.csv --modes userId movieId --value rating --folds 3 --rank 3 -o folds.npz',
      'convert metro.tns readings.npy',
      'convert wanted.csv wanted.parquet --modes userId movieId',
    ],
    ahead: ['lacuna split ml/ratings.csv', (cwd) => shorten(join(cwd, 'ml/ratings.csv'), 2000)],
    before: [
      `import { readModel } from 'lacuna'
      const model = await readModel('films.npz')`,
      `import { readModel, readTensor } from 'lacuna'
      const model = await readModel('films.npz')
      const ratings = await readTensor('ml/ratings.csv', { modes: ['userId', 'movieId'], value: 'rating' })`,
      `import { readModel, tensorFromRecords } from 'lacuna'
      const model = await readModel('films.npz')
      const tensor = await tensorFromRecords([{ userId: 42, movieId: 318, rating: 5 }], { modes: ['userId', 'movieId'], value: 'rating' })`,
      `import { readModel, readTensor } from 'lacuna'
      const tensor = await readTensor('sales.csv', { modes: ['shop', 'date'], value: 'sold' })
      const learned = await readModel('sales.npz')
      const shop = 0`,
    ],
  },
  'docs/best.md': {
    write: (cwd) =>
      table(
        cwd,
        'counts.csv',
        'station,hour,count',
        count(240)
          .filter((n) => noise(n) < 0.7)
          .map((n) => [`s${n % 20}`, Math.floor(n / 20), 3 + (n % 20)]),
      ),
  },
  'docs/data.md': {
    write: dataFiles,
    first: [
      'complete rides.csv --modes station hour(pickup) weekday(pickup) --value riders --merge mean --rank 2 -o rides.npz',
    ],
  },
  'docs/datasets.md': { write: uber },
  'docs/formats.md': { write: seenFilms },
  'docs/gpu.md': {
    write: (cwd) => tensor(cwd, 'ratings.tns', [6, 5, 4], 60),
    before: [`import { readTensor } from 'lacuna'\nconst tensor = await readTensor('ratings.tns')`],
  },
  'docs/packages.md': {
    async write(cwd) {
      tensor(cwd, 'data.tns', [20, 15, 10], 600)
      await films(cwd)
      cpSync(join(cwd, 'films.npz'), join(cwd, 'model.npz'))
    },
    before: [
      `const rows = Array.from({ length: 200 }, (_, n) => ({ user: ['ann', 'bo', 'cy'][n % 3], film: ['Solaris', 'M', 'Alien'][n % 7 % 3], 'week(seen)': n % 20, stars: 1 + (n % 5) }))
        .filter((row, n, all) => all.findIndex((other) => ['user', 'film', 'week(seen)'].every((key) => other[key] === row[key])) === n)
        .map(({ 'week(seen)': week, ...row }) => ({ ...row, seen: new Date(Date.UTC(2024, 0, 1 + 7 * week)) }))`,
    ],
  },
  'docs/images.md': {},
  'docs/paper.md': {},
  'docs/python.md': {},
  'docs/runs.md': {
    write: (cwd) => tensor(cwd, 'ratings.tns', [60, 50, 40], 30_000, { spread: 1 }),
    before: [
      `import { readTensor, split } from 'lacuna'
      const ratings = await readTensor('ratings.tns')
      const { train, validation, test: hidden } = split(ratings, { validation: 0.1, test: 0.1 }, 1)`,
    ],
  },
  'docs/scale.md': {},
  'docs/serve.md': { write: films },
  'docs/studio.md': {
    write: (cwd) =>
      table(
        cwd,
        'trips.csv',
        'weekday,hour,station,trips',
        count(7 * 24 * 4)
          .filter((n) => noise(n) < 0.7)
          .map((n) => [n % 7, Math.floor(n / 7) % 24, `s${Math.floor(n / 168)}`, 2 + (n % 7)]),
      ),
  },
  'docs/tour/README.md': {
    write: (cwd) => void execFileSync(process.execPath, [join(root, 'docs/tour/data.mjs')], { cwd }),
    // Three weeks of days.
    ahead: ['lacuna forecast sales.csv', (cwd) => shorten(join(cwd, 'sales.csv'), 1700)],
  },
  'packages/cli/README.md': { write: ratings },
  'python/README.md': {},
  'site/index.md': {},
  'site/gallery.md': {
    async write(cwd) {
      movielens(cwd, false)
      uber(cwd)
      for (const part of ['train', 'test']) {
        tensor(cwd, `RM70.${part}.tns`, [80, 108, 25], part === 'train' ? 3000 : 300)
        execFileSync('gzip', [join(cwd, `RM70.${part}.tns`)])
      }
      tensor(cwd, 'kinetic.tns', [8, 6, 5, 7], 700)
      await photo(cwd, 'facade.webp')
    },
    first: ['convert kinetic.tns kinetic.npy'],
  },
  'site/paths/table.md': { write: ratings },
  'site/paths/app.md': {},
  'site/paths/scientist.md': {
    write: (cwd) => tensor(cwd, 'readings.tns', [12, 10, 8], 500),
    first: ['convert readings.tns readings.npy'],
  },
  'site/paths/method.md': {},
  'CONTRIBUTING.md': {},
  'bench/peers/README.md': {},
}

/** Writes the folder of a page; the library is in its node_modules. */
export async function prepare(cwd: string, { write }: Folder): Promise<void> {
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(join(root, 'packages/lacuna'), join(cwd, 'node_modules/lacuna'))
  await write?.(cwd)
}
