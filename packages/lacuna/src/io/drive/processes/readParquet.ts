/**
 * Parquet files read by several processes: each reads some of the rows, and numbers the values of the modes as they come. Then
 * they agree on the labels: the values of all processes, in the order in which one process would have met them.
 */
import { availableParallelism } from 'node:os'
import { InputError } from '../../../base/inputError.ts'
import type { Communicator } from '../../../comm/index.ts'
import {
  cellChecks,
  checkShape,
  dealByHash,
  earliest,
  findDuplicates,
  firstFault,
  mergeShares,
  originOf,
  refuseFirst,
  type SparseTensor,
} from '../../../tensor/index.ts'
import { nameOfFiles, openSqlTable, parquetGroups, rowRange, type SqlTable } from '../../node/index.ts'
import {
  finishMode,
  largest,
  nameEntries,
  nothingLeft,
  type Pass,
  type Plan,
  passOver,
  planRows,
  type ReadRowsOptions,
  repeatedIn,
  severalValues,
  sizesOf,
  tellLeftOut,
  tellUnknown,
} from '../../table/index.ts'
import { agreeOnMode } from './agreeOnMode.ts'

/** This process's share of the entries, with sizes and labels that are those of all. */
export async function readParquetShare(
  communicator: Communicator,
  files: readonly string[],
  options: ReadRowsOptions,
): Promise<SparseTensor> {
  const table = await communicator.failTogether(() => openShare(communicator, files))
  try {
    const plan = await communicator.failTogether(() => planRows(table, options), 'unnamed')
    return await readShare(communicator, plan)
  } finally {
    table.close()
  }
}

async function openShare(communicator: Communicator, files: readonly string[]): Promise<SqlTable> {
  const groups = await parquetGroups(files)
  // The first process has found that they can be read in ranges.
  if (!groups)
    throw new InputError(
      'file',
      `${files.join(' ')}: not the files that the first process sees under these names.`,
    )
  const threads = Math.max(1, Math.floor(availableParallelism() / communicator.hostSize))
  return openSqlTable({
    name: nameOfFiles(files),
    kind: 'parquet',
    files,
    typed: [],
    expressions: () => [],
    rows: rowRange(groups, communicator.rank, communicator.size, threads),
  })
}

async function readShare(communicator: Communicator, plan: Plan): Promise<SparseTensor> {
  const { table, merge, negative = 'error' } = plan
  const pass = await communicator.failTogether(() => passOver(plan), 'unnamed')
  const { readers, entries } = pass
  const rows = await tellOfAll(communicator, plan, pass)
  const finished = []
  const places: Uint32Array[] = []
  for (const [m, reader] of readers.entries()) {
    const { seen, codes } = await agreeOnMode(communicator, plan.modes[m].name, reader.seen())
    const mode = await communicator.failTogether(() => finishMode(plan, m, reader, seen), 'unnamed')
    finished.push(mode)
    places.push(Uint32Array.from(codes, (code) => mode.places[code]))
  }
  const { indices, values, unknown } = entries.finish(places)
  const counts = await communicator.allGatherNumbers(unknown, values.length, ...indices.map(largest))
  const sum = (column: number): number => counts.reduce((sum, numbers) => sum + numbers[column], 0)
  tellUnknown(plan, sum(0))
  if (sum(1) === 0) throw nothingLeft(table, rows)
  const most = indices.map((_, m) => Math.max(...counts.map((numbers) => numbers[2 + m])))
  const { tensor, where } = nameEntries(plan, finished, { indices, values }, sizesOf(plan, finished, most))

  const placeOf = (entry: number): string => where(entry, entries)
  const fault = await firstFault([() => checkShape(tensor), ...cellChecks(tensor, negative, placeOf)])
  const said = async (entry: number): Promise<string> => placeOf(entry)
  // In one process the cells are looked at when they are known not to repeat, or before they are merged.
  const distinct = merge === 'error' ? await distinctEntries(communicator, tensor, said) : undefined
  await refuseFirst(communicator, fault)
  if (distinct) return { ...tensor, ...distinct }
  return mergeShares(communicator, tensor, merge === 'count' ? 'sum' : merge, { where: said })
}

/** Says which rows of all processes were left out; how many there are. */
async function tellOfAll(
  communicator: Communicator,
  plan: Plan,
  { entries, rows, marks }: Pass,
): Promise<number> {
  const counts = await communicator.allGatherNumbers(rows, entries.count, marks.count)
  const [all, kept, marked] = [0, 1, 2].map((i) => counts.reduce((sum, numbers) => sum + numbers[i], 0))
  const first = counts.findIndex((numbers) => numbers[2] > 0)
  const example = await communicator.broadcastText(Math.max(0, first), () => marks.first ?? '')
  tellLeftOut(plan, all - kept, { count: marked, first: example }, all)
  if (kept === 0) throw nothingLeft(plan.table, all)
  return all
}

/** The entries, of which no two may have the same coordinates, where their hashes say. */
async function distinctEntries(
  communicator: Communicator,
  tensor: SparseTensor,
  where: (entry: number) => Promise<string>,
): Promise<Pick<SparseTensor, 'indices' | 'values'>> {
  const dealt = await dealByHash(communicator, tensor)
  const firstOf = findDuplicates(dealt.indices, dealt.values.length)
  const own = firstOf
    ? originOf(
        firstOf.findIndex((first) => first > 0),
        dealt,
      )
    : []
  const first = await earliest(communicator, own)
  if (!first) return { indices: dealt.indices, values: dealt.values }
  const repeated = (await communicator.allGatherNumbers(firstOf ? repeatedIn(firstOf) : 0)).flat()
  const [source, number] = first
  const place = await communicator.broadcastText(source, () => where(number))
  throw severalValues(
    place,
    repeated.reduce((sum, count) => sum + count, 0),
  )
}
