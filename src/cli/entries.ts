/** How entries are read, divided and judged: by one process, or by several that have a share each. The results are the same. */
import type { World } from '../engine/cpu/world.ts'
import { type CpModel, type ErrorSummary, meanError } from '../model/index.ts'
import {
  countEntries,
  dealOut,
  errorOfShares,
  kindOfShares,
  meanErrorOfShares,
  type ReadShareOptions,
  readNpzShare,
  readTnsShare,
  splitCellShares,
  splitShares,
} from '../shares/index.ts'
import { type SparseTensor, type Split, type SplitShares, split, splitCells } from '../tensor/index.ts'
import { count } from './format.ts'
import { type ReadingOptions, readingProgress, readWithProgress, refuseTableOptions } from './reading.ts'
import type { Progress } from './terminal.ts'

export interface Entries {
  read(files: readonly string[], options: ReadingOptions): Promise<SparseTensor>
  /** How many processes have a share of the entries when they have been read. */
  holders(files: readonly string[], options: ReadingOptions): Promise<number>
  /** zeros: cells that are not listed are, and are held out like others. */
  split(tensor: SparseTensor, shares: SplitShares, seed: number, zeros: boolean): Promise<Split>
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

export const entriesOfMany = (world: World, progress: Progress): Entries => ({
  async read(files, options) {
    const readShare = await shareReader(world, files, options)
    if (!readShare)
      return dealOut(
        world,
        await world.together(
          () => (world.process === 0 ? readWithProgress(files, options, progress) : undefined),
          'unnamed',
        ),
      )
    const [file] = files
    await world.together(() => refuseTableOptions(file, options), 'unnamed')
    const tensor = await readShare(world, file, { ...options, onProgress: readingProgress(file, progress) })
    progress.say(`${file}: ${tensor.dims.join('×')}, ${count(await countEntries(world, tensor))} entries`)
    return tensor
  },
  holders: async (files, options) =>
    (await shareReader(world, files, options)) === undefined ? 1 : world.processes,
  split: (tensor, shares, seed, zeros) =>
    (zeros ? splitCellShares : splitShares)(world, tensor, shares, seed),
  count: (tensor) => countEntries(world, tensor),
  judge: async (model, train, test, zeros) => ({
    test: await errorOfShares(world, model, test),
    meanOnTest: await meanErrorOfShares(world, train, test, zeros),
  }),
})

type ShareReader = (world: World, file: string, options: ReadShareOptions) => Promise<SparseTensor>

const shareReaders: Record<string, ShareReader> = { tns: readTnsShare, npz: readNpzShare }

/** How every process reads its share of the file, as the first one sees it; nothing if it reads all, and deals it out. */
async function shareReader(
  world: World,
  files: readonly string[],
  { dims, mask }: ReadingOptions,
): Promise<ShareReader | undefined> {
  const find = (): Promise<string> =>
    kindOfShares(files, { ...(dims && { dims }), hasMask: mask !== undefined })
  return shareReaders[await world.told(0, find)]
}
