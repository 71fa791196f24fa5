/** The sets of `bench best`: real data with masks of our own, and synthetic sales. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTensor, type SparseTensor } from 'lacuna'
import { draw, stream, unit } from 'lacuna/internal'
import { readTable } from 'lacuna/tables'
import { hideEntries, hideGroups, hideRuns, type MaskedProblem, maskEntries } from './masks.ts'
import { drawRetail } from './retail.ts'

/** A set, of which each seed is a mask. */
export interface MaskedSet {
  name: string
  /** Description of the cells that are masked, for the printed table. */
  hidden: string
  /** Reads or draws the data, and masks it. @param folder of real data, with a subfolder for each set */
  make(folder: string, seed: number): Promise<MaskedProblem>
  /** The modes that are the axis of time, the slowest first, counted from 1, and its lags. */
  time?: { modes: readonly number[]; lags: readonly number[] }
}

const metroTime = { modes: [3, 2], lags: [1, 108, 756] }
const uberTime = { modes: [3, 2], lags: [1, 24, 168] }

/** All sets. */
export const maskedSets: readonly MaskedSet[] = [
  {
    name: 'hangzhou-days',
    hidden: '40% of station-days',
    make: async (folder, seed) => hideGroups(await readMetro(folder), [0, 2], 0.4, seed),
    time: metroTime,
  },
  {
    name: 'hangzhou-runs',
    hidden: '30% of station-days in runs of two to four',
    make: async (folder, seed) =>
      hideRuns(await readMetro(folder), { of: 0, along: 2, fraction: 0.3, lengths: [2, 4] }, seed),
    time: metroTime,
  },
  {
    name: 'uber-days',
    hidden: '30% of cell-days of the 120 busiest cells',
    make: async (folder, seed) => hideGroups(await readPickups(folder), [0, 2], 0.3, seed),
    time: uberTime,
  },
  {
    name: 'kinetic-fibers',
    hidden: '70% of the fibers along mode 4',
    make: async (folder, seed) => hideGroups(await readKinetic(folder), [0, 1, 2], 0.7, seed),
  },
  {
    name: 'movielens-time',
    hidden: "the tenth of a user's ratings after a random time",
    make: async (folder, seed) => hideLater(folder, seed),
  },
  {
    name: 'retail-closed',
    hidden: '25% of shop-days in runs of one to five',
    make: async (_, seed) =>
      hideRuns(drawRetail(seed), { of: 0, along: 2, fraction: 0.25, lengths: [1, 5] }, seed),
    time: { modes: [3], lags: [1, 7] },
  },
  {
    name: 'hangzhou-random',
    hidden: '70% of cells',
    make: async (folder, seed) => hideEntries(await readMetro(folder), 0.7, seed),
    time: metroTime,
  },
  {
    name: 'uber-random',
    hidden: '60% of cells of the 120 busiest cells',
    make: async (folder, seed) => hideEntries(await readPickups(folder), 0.6, seed),
    time: uberTime,
  },
  {
    name: 'kinetic-random',
    hidden: '90% of cells',
    make: async (folder, seed) => hideEntries(await readKinetic(folder), 0.9, seed),
  },
]

/** Reads the whole metro tensor, station × slot × day: the union of a train and a test file. */
export async function readMetro(folder: string): Promise<SparseTensor> {
  const dims = [80, 108, 25]
  const [train, test] = await Promise.all(
    ['train', 'test'].map((set) => readTensor(join(folder, `hangzhou/RM30.${set}.tns.gz`), { dims })),
  )
  const indices = train.indices.map((column, mode) => Uint32Array.from([...column, ...test.indices[mode]]))
  return { dims, indices, values: Float32Array.from([...train.values, ...test.values]) }
}

/** Reads Kinetic, where values that were never measured have no entry. */
export const readKinetic = (folder: string): Promise<SparseTensor> =>
  readTensor(join(folder, 'kinetic/kinetic.npy'))

/** Counts pickups in the busiest cells of 0.02 degrees: cell × hour × day, zeros included. */
export async function readPickups(folder: string, count = 120): Promise<SparseTensor> {
  const files = ['apr', 'may', 'jun'].map((month) => join(folder, `uber/uber-raw-data-${month}14.csv.gz`))
  const { dims, indices, labels, values } = await readTable(files, { recipe: 'uber' })
  const [days, hours] = dims
  const degrees = [2, 3].map((mode) => labels![mode]!.map((label) => Math.round(Number(label) * 50)))
  const counts = new Map<string, Float32Array>()
  const totals = new Map<string, number>()
  for (let entry = 0; entry < values.length; entry++) {
    const cell = `${degrees[0][indices[2][entry]]} ${degrees[1][indices[3][entry]]}`
    const table = counts.get(cell) ?? new Float32Array(days * hours)
    counts.set(cell, table)
    table[indices[1][entry] * days + indices[0][entry]] += values[entry]
    totals.set(cell, (totals.get(cell) ?? 0) + values[entry])
  }
  const busiest = [...counts.keys()].sort((a, b) => totals.get(b)! - totals.get(a)!).slice(0, count)
  const size = hours * days
  const column = (index: (cell: number) => number): Uint32Array =>
    Uint32Array.from({ length: count * size }, (_, cell) => index(cell))
  return {
    dims: [count, hours, days],
    indices: [
      column((cell) => Math.floor(cell / size)),
      column((cell) => Math.floor(cell / days) % hours),
      column((cell) => cell % days),
    ],
    values: Float32Array.from(busiest.flatMap((cell) => [...counts.get(cell)!])),
  }
}

/**
 * Hides ratings by time: of each user those up to 60 to 90% of all of their ratings are known, the next tenth is
 * hidden, and later ones are dropped. A block is a user.
 */
export function hideLater(folder: string, seed: number): MaskedProblem {
  const lines = readFileSync(join(folder, 'movielens/ratings.csv'), 'utf8').trim().split('\n').slice(1)
  const ratings = lines.map((line) => line.split(',').map(Number))
  ratings.sort((a, b) => a[0] - b[0] || a[3] - b[3] || a[1] - b[1])
  const films = new Map<number, number>()
  const users = new Map<number, number>()
  const number = (map: Map<number, number>, id: number): number => {
    if (!map.has(id)) map.set(id, map.size)
    return map.get(id)!
  }
  const rows = ratings.map(([user, film]) => [number(users, user), number(films, film)])
  const sizes = new Uint32Array(users.size)
  for (const [user] of rows) sizes[user]++
  const key = stream(seed, 0x6d04)
  let first = 0
  const kept: number[] = []
  const hidden: boolean[] = []
  for (const [user, size] of sizes.entries()) {
    const cut = Math.round(size * (0.6 + 0.3 * unit(draw(key, user))))
    const end = cut + Math.max(1, Math.round(size / 10))
    for (let i = 0; i < Math.min(end, size); i++) {
      kept.push(first + i)
      hidden.push(i >= cut)
    }
    first += size
  }
  const column = (mode: number): Uint32Array => Uint32Array.from(kept, (rating) => rows[rating][mode])
  const tensor: SparseTensor = {
    dims: [users.size, films.size],
    indices: [column(0), column(1)],
    values: Float32Array.from(kept, (rating) => ratings[rating][2]),
  }
  return maskEntries(tensor, column(0), (entry) => hidden[entry])
}
