/** The files that reading is measured on: the same made-up ratings as .tns, .tns.gz and CSV, and a model. */
import { join } from 'node:path'
import { CpModel, type SparseTensor, synthetic, writeModel, writeTensor } from 'lacuna'
import { writeFileWhole } from 'lacuna/internal'

/** Dims of MovieLens 10M, whatever the number of ratings. */
export const DIMS = [71567, 65133, 730] as const
/** The rank of the model file. */
const MODEL_RANK = 50

const WEEK_SECONDS = 604_800
/** A Monday, 2 January 1995, so that a week of the calendar is a week of the tensor. */
const FIRST_MONDAY = 789_004_800
const CSV_HEAD = 'userId,movieId,rating,timestamp\n'
/** Rows of the CSV file that are formatted and written at a time. */
const CSV_ROWS_AT_ONCE = 10_000

/** Paths of the files, and the model of one of them. */
export interface IoFiles {
  tns: string
  packed: string
  csv: string
  npz: string
  model: CpModel
}

/** Writes the files. @param rows number of ratings */
export async function makeFiles(
  folder: string,
  rows: number,
  onProgress: (line: string) => void,
): Promise<IoFiles> {
  const at = (name: string): string => join(folder, name)
  onProgress(`Making ${rows} ratings …`)
  const { tensor } = synthetic({ dims: DIMS, entries: rows, rank: 1, seed: 1 })
  const { values } = tensor
  for (let e = 0; e < rows; e++) values[e] = 0.5 + 0.5 * Math.floor(10 * Math.min(0.999, values[e])) // half stars
  onProgress('Writing them as .tns …')
  await writeTensor(at('ratings.tns'), tensor)
  onProgress('Writing them as .tns.gz …')
  await writeTensor(at('ratings.tns.gz'), tensor)
  onProgress('Writing them as .csv …')
  await writeFileWhole(at('ratings.csv'), csv(tensor))
  const { factors } = synthetic({ dims: DIMS, entries: 1, rank: MODEL_RANK, seed: 2 })
  const model = new CpModel({ dims: DIMS, rank: MODEL_RANK, factors })
  await writeModel(at('model.npz'), model)
  return {
    tns: at('ratings.tns'),
    packed: at('ratings.tns.gz'),
    csv: at('ratings.csv'),
    npz: at('model.npz'),
    model,
  }
}

/** Yields ratings as the bytes of a CSV file in the format of GroupLens. */
function* csv({ indices: [users, movies, weeks], values }: SparseTensor): Generator<Uint8Array> {
  yield Buffer.from(CSV_HEAD)
  const firstWeek = weeks.reduce((least, week) => Math.min(least, week), Infinity)
  for (let start = 0; start < values.length; start += CSV_ROWS_AT_ONCE) {
    let text = ''
    const end = Math.min(values.length, start + CSV_ROWS_AT_ONCE)
    for (let e = start; e < end; e++) {
      // The earliest rating begins its week: recipes that count weeks from it find the same weeks.
      const second = weeks[e] === firstWeek ? 0 : (e * 7919) % WEEK_SECONDS
      const time = FIRST_MONDAY + weeks[e] * WEEK_SECONDS + second
      text += `${users[e] + 1},${movies[e] + 1},${values[e].toFixed(1)},${time}\n`
    }
    yield Buffer.from(text)
  }
}
