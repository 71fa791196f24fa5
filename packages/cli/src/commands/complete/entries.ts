/**
 * Entries of the command over all processes of the job: read, split, counted and evaluated. The results are
 * those of one process.
 */
import type { CpModel, ErrorSummary, SparseTensor } from 'lacuna'
import {
  type Communicator,
  compareFiles,
  countEntries,
  kindOfShards,
  meanError,
  type ReadShardOptions,
  readParquetShard,
  readTnsShard,
  type Split,
  type SplitFractions,
  scatterTensor,
  splitShard,
  splitShardCells,
  testError,
} from 'lacuna/internal'
import type { ReadRowsOptions } from 'lacuna/tables'
import {
  type ReadingOptions,
  readingProgress,
  readWithProgress,
  refuseTableOptions,
  reportRemark,
  rowProgress,
} from '../../options/readTensor.ts'
import { formatCounted } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'

/** Operations on entries of which every process has a shard; with one process the shard is the tensor. */
export interface Entries {
  /** Reads files as one tensor, and returns the shard of this process. */
  read(files: readonly string[], options: ReadingOptions): Promise<SparseTensor>
  /** Returns the number of processes that read the files: all of them, or 1 for the root alone. */
  countReaders(files: readonly string[], options: ReadingOptions): Promise<number>
  /**
   * Splits entries at random.
   * @param zeros whether unlisted cells are zeros, of which some are held out, too
   */
  split(tensor: SparseTensor, fractions: SplitFractions, seed: number, zeros: boolean): Promise<Split>
  /** Returns the number of entries of all processes. */
  count(tensor: SparseTensor): Promise<number>
  /**
   * Measures the test errors of a model and of the mean training value.
   * @param zeros as in `split`
   */
  evaluate(
    model: CpModel,
    sets: { train: SparseTensor; test: SparseTensor; validation?: SparseTensor },
    zeros: boolean,
  ): Promise<{ test: ErrorSummary; meanOnTest: ErrorSummary }>
}

/** Returns the operations on entries of the processes of a communicator. */
export const entriesOf = (communicator: Communicator, progress: Progress): Entries => ({
  async read(files, options) {
    const readShard = await findShardReader(communicator, files, options)
    if (!readShard)
      return scatterTensor(
        communicator,
        await communicator.runOnRoot(() => readWithProgress(files, options, progress)),
      )
    await compareFiles(communicator, files)
    const name = files.join(' ')
    const tensor = await readShard(communicator, files, {
      onRemark: reportRemark(progress),
      ...options,
      onRows: rowProgress(name, progress),
      onProgress: readingProgress(name, progress),
    })
    const entries = await countEntries(communicator, tensor)
    progress.say(`${name}: ${tensor.dims.join('×')}, ${formatCounted(entries, 'entry')}`)
    return tensor
  },
  countReaders: async (files, options) =>
    (await findShardReader(communicator, files, options)) === undefined ? 1 : communicator.size,
  split: (tensor, fractions, seed, zeros) =>
    (zeros ? splitShardCells : splitShard)(communicator, tensor, fractions, seed),
  count: (tensor) => countEntries(communicator, tensor),
  evaluate: async (model, { train, test, validation }, zeros) => ({
    test: await testError(model, test, communicator),
    meanOnTest: await meanError(train, test, zeros, communicator, validation && [validation]),
  }),
})

/** Reads the range of the files that falls to this process. */
type ShardReader = (
  communicator: Communicator,
  files: readonly string[],
  options: ReadRowsOptions & ReadShardOptions,
) => Promise<SparseTensor>

/** Readers by the kind of the files (kindOfShards); other kinds are read by the root alone. */
const shardReaders: Record<string, ShardReader> = {
  parquet: readParquetShard,
  async tns(communicator, [file], options) {
    await communicator.failTogether(() => refuseTableOptions(file, options), 'unnamed')
    return readTnsShard(communicator, file, options)
  },
}

/**
 * Returns the reader with which every process reads a range of the files; undefined if the root reads all of
 * them.
 */
async function findShardReader(
  communicator: Communicator,
  files: readonly string[],
  options: ReadingOptions,
): Promise<ShardReader | undefined> {
  if (communicator.size === 1) return undefined
  return shardReaders[await communicator.broadcastText(0, () => kindOfShards(files, options))]
}
