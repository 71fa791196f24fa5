/** How entries are read, divided and judged: by one process, or by several that have a share each. The results are the same. */
import { open } from 'node:fs/promises'
import type { World } from '../engine/cpu/world.ts'
import { InputError, option, sentence } from '../inputError.ts'
import { type CpModel, type ErrorSummary, meanError } from '../model/index.ts'
import {
  countEntries,
  dealOut,
  errorOfShares,
  meanErrorOfShares,
  readTnsShare,
  splitShares,
} from '../shares/index.ts'
import { type SparseTensor, type Split, type SplitShares, split, splitCells } from '../tensor/index.ts'
import { count } from './format.ts'
import { type ReadingOptions, readingProgress, readWithProgress } from './reading.ts'
import type { Progress } from './terminal.ts'

export interface Entries {
  read(files: readonly string[], options: ReadingOptions): Promise<SparseTensor>
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
  split: async (tensor, shares, seed, zeros) => (zeros ? splitCells : split)(tensor, shares, seed),
  count: async (tensor) => tensor.values.length,
  judge: async (model, train, test, zeros) => ({
    test: model.error(test),
    meanOnTest: meanError(train, test, zeros),
  }),
})

export const entriesOfMany = (world: World, progress: Progress): Entries => ({
  async read(files, options) {
    if (!(await isReadInShares(files)))
      return dealOut(
        world,
        await world.together(
          () => (world.process === 0 ? readWithProgress(files, options, progress) : undefined),
          'unnamed',
        ),
      )
    const [file] = files
    const tensor = await readTnsShare(world, file, {
      ...options,
      onProgress: readingProgress(file, progress),
    })
    progress.say(`${file}: ${tensor.dims.join('×')}, ${count(await countEntries(world, tensor))} entries`)
    return tensor
  },
  split(tensor, shares, seed, zeros) {
    if (zeros)
      throw new InputError(
        'option',
        sentence`${option('missing', 'zero')} holds out cells in one process only; hold none out here, or name files of them.`,
      )
    return splitShares(world, tensor, shares, seed)
  },
  count: (tensor) => countEntries(world, tensor),
  judge: async (model, train, test, zeros) => ({
    test: await errorOfShares(world, model, test),
    meanOnTest: await meanErrorOfShares(world, train, test, zeros),
  }),
})

/** Whether every process reads its share of the file: of text that is not packed. Others are read by the first and dealt out. */
export async function isReadInShares(files: readonly string[]): Promise<boolean> {
  if (files.length !== 1 || !/\.tns$/i.test(files[0])) return false
  const file = await open(files[0]).catch(() => undefined)
  if (!file) return true // whoever opens it says why not
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    const isPacked = bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
    return (await file.stat()).isFile() && !isPacked
  } finally {
    await file.close()
  }
}
