/** How entries are read, divided and judged: by one process, or by several that have a share each. The results are the same. */

import { type CpModel, type ErrorSummary, type SparseTensor, split } from 'lacuna'
import {
  type Communicator,
  countEntries,
  dealOut,
  errorOfShares,
  kindOfShards,
  meanError,
  meanErrorOfShares,
  type ReadShardOptions,
  readNpzShare,
  readParquetShard,
  readTnsShard,
  type Split,
  type SplitFractions,
  splitCellShares,
  splitCells,
  splitShares,
} from 'lacuna/internal'
import type { ReadRowsOptions } from 'lacuna/tables'
import {
  type ReadingOptions,
  readingProgress,
  readWithProgress,
  refuseTableOptions,
  rowProgress,
  tellRemark,
} from '../../options/readTensor.ts'
import { formatCount } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'

export interface Entries {
  read(files: readonly string[], options: ReadingOptions): Promise<SparseTensor>
  /** How many processes have a share of the entries when they have been read. */
  holders(files: readonly string[], options: ReadingOptions): Promise<number>
  /** zeros: cells that are not listed are, and are held out like others. */
  split(tensor: SparseTensor, shares: SplitFractions, seed: number, zeros: boolean): Promise<Split>
  /** Of all processes. */
  count(tensor: SparseTensor): Promise<number>
  /** Of a model, and of the mean of the training values. */
  judge(
    model: CpModel,
    train: SparseTensor,
    test: SparseTensor,
    zeros: boolean,
  ): Promise<{ test: ErrorSummary; meanOnTest: ErrorSummary }>
}

export const entriesOfOne = (progress: Progress): Entries => ({
  read: (files, options) => readWithProgress(files, options, progress),
  holders: async () => 1,
  split: async (tensor, shares, seed, zeros) => (zeros ? splitCells : split)(tensor, shares, seed),
  count: async (tensor) => tensor.values.length,
  judge: async (model, train, test, zeros) => ({
    test: model.error(test),
    meanOnTest: meanError(train, test, zeros),
  }),
})

export const entriesOfMany = (communicator: Communicator, progress: Progress): Entries => ({
  async read(files, asked) {
    // What is dealt out is other arrays, and no process sorts all of it.
    const options = { ...asked, deferDuplicateCheck: false }
    const readShare = await shareReader(communicator, files, options)
    if (!readShare)
      return dealOut(
        communicator,
        await communicator.failTogether(
          () => (communicator.rank === 0 ? readWithProgress(files, options, progress) : undefined),
          'unnamed',
        ),
      )
    const name = files.join(' ')
    const tensor = await readShare(communicator, files, {
      onRemark: tellRemark(progress),
      ...options,
      onRows: rowProgress(name, progress),
      onProgress: readingProgress(name, progress),
    })
    progress.say(
      `${name}: ${tensor.dims.join('×')}, ${formatCount(await countEntries(communicator, tensor))} entries`,
    )
    return tensor
  },
  holders: async (files, options) =>
    (await shareReader(communicator, files, options)) === undefined ? 1 : communicator.size,
  split: (tensor, shares, seed, zeros) =>
    (zeros ? splitCellShares : splitShares)(communicator, tensor, shares, seed),
  count: (tensor) => countEntries(communicator, tensor),
  judge: async (model, train, test, zeros) => ({
    test: await errorOfShares(communicator, model, test),
    meanOnTest: await meanErrorOfShares(communicator, train, test, zeros),
  }),
})

type ShareReader = (
  communicator: Communicator,
  files: readonly string[],
  options: ReadRowsOptions & ReadShardOptions,
) => Promise<SparseTensor>

/** Of one file, which is no table. */
const ofFile =
  (read: typeof readTnsShard): ShareReader =>
  async (communicator, [file], options) => {
    await communicator.failTogether(() => refuseTableOptions(file, options), 'unnamed')
    return read(communicator, file, options)
  }

const shareReaders: Record<string, ShareReader> = {
  tns: ofFile(readTnsShard),
  npz: ofFile(readNpzShare),
  parquet: readParquetShard,
}

/** How every process reads its share of the files, as the first one sees them; nothing if it reads all, and deals it out. */
async function shareReader(
  communicator: Communicator,
  files: readonly string[],
  options: ReadingOptions,
): Promise<ShareReader | undefined> {
  return shareReaders[await communicator.broadcastText(0, () => kindOfShards(files, options))]
}
