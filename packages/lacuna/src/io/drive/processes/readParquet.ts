/**
 * Reads Parquet files by several processes: each encodes a range of the rows, and the dictionaries of the
 * modes are merged.
 */
import { availableParallelism } from 'node:os'
import { InputError } from '../../../base/inputError.ts'
import type { Communicator } from '../../../comm/index.ts'
import type { SparseTensor } from '../../../tensor/index.ts'
import { nameOfFiles, openSqlTable, parquetGroups, rowRange, type SqlTable } from '../../node/index.ts'
import { planRows, type ReadRowsOptions, readPlanned } from '../../table/index.ts'

/**
 * Reads this process's range of the rows of Parquet files; the entries returned are its own, the sizes and
 * labels those of all processes. Collective: called by all, and a fault of one is thrown by all.
 */
export async function readParquetShard(
  comm: Communicator,
  files: readonly string[],
  options: ReadRowsOptions,
): Promise<SparseTensor> {
  const table = await comm.failTogether(() => openShard(comm, files))
  try {
    const plan = await comm.failTogether(() => planRows(table, options), 'unnamed')
    return await readPlanned(plan, { comm })
  } finally {
    table.close()
  }
}

/** Opens the range of rows that this process reads; throws if its files cannot be read in ranges. */
async function openShard(comm: Communicator, files: readonly string[]): Promise<SqlTable> {
  const groups = await parquetGroups(files)
  // Rank 0 has found that the files can be read in ranges.
  if (!groups)
    throw new InputError(
      'file',
      `${files.join(' ')}: not the files that the first process sees under these names.`,
    )
  const threads = Math.max(1, Math.floor(availableParallelism() / comm.hostSize))
  return openSqlTable({
    name: nameOfFiles(files),
    kind: 'parquet',
    files,
    typed: [],
    expressions: () => [],
    rows: rowRange(groups, comm.rank, comm.size, threads),
  })
}
