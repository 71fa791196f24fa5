/**
 * Features of all entries from the residuals at neighbouring cells, and their ridge regression: the loops run
 * in the kernel of cross-fitting.
 */
import type { SparseTensor } from '../../../tensor/index.ts'
import { FoldKernel } from '../../foldKernel.ts'
import { isDenseEnough, slotsFor, stridesOf } from './cellIndex.ts'
import { featureCount, WINDOW, windowOf } from './residualField.ts'

/** Sums of a ridge regression over the entries of a fold. */
export interface RidgeSums {
  /** XᵀX (size × size), the lower triangle. */
  XX: Float64Array
  /** Xᵀr (size). */
  Xr: Float64Array
}

/** The numbers of entries' cells or fibers in the kernel's memory. */
interface Numbers {
  /** Above the largest number. */
  count: number
  /** Address of the number of each entry. */
  numbers: number
  /** The hash table by which numbers were found; all 0 where they are positions. */
  slots: number
  mask: number
  keys: number
}

/** Addresses of the field of residuals, and its arrays with their lengths in bytes. */
interface Field {
  arrays: { address: number; bytes: number }[]
}

/** A fold number that no entry has. */
const NO_FOLD = 255
/** Entries per call of the kernel, so that V8 can optimize the kernel between calls. */
const BLOCK = 4096
/** Least prediction that residuals are relative to, as a fraction of the mean prediction. */
const LEAST = 0.05

/** Entries in the kernel's memory, with predictions by the models of all folds. */
export class EntryFeatures {
  readonly #kernel = new FoldKernel()
  readonly #dims: readonly number[]
  readonly #strides: readonly number[]
  readonly #count: number
  readonly #isDense: boolean
  readonly #isByEntry: boolean
  readonly #predictions: number[]
  /** Addresses: tables of columns and predictions, values, folds, residuals, positions of cells. */
  readonly #at: {
    columns: number
    predictions: number
    values: number
    folds: number
    residuals: number
    positions: number
    dims: number
    strides: number
  }
  /** Numbers of cells and of the fibers along each mode, and the field; made when features are first needed. */
  #indexed: { cells: Numbers; fibers: number; field: Field } | undefined
  /** Address of the features (entries × size) of the last kind of residuals, and how many fit there. */
  #features = { address: 0, capacity: 0 }

  /**
   * Copies entries to the kernel's memory.
   * @param predictions per fold, the predictions of all entries by the model that was fitted without it
   * @param folds the fold of each entry
   * @param isByEntry whether single entries were held out; else entries of the same fold are no neighbours
   */
  constructor(
    { dims, indices, values }: Pick<SparseTensor, 'dims' | 'indices' | 'values'>,
    predictions: readonly Float32Array[],
    folds: Uint8Array,
    isByEntry: boolean,
  ) {
    const kernel = this.#kernel
    const strides = stridesOf(dims)
    this.#dims = dims
    this.#strides = strides
    this.#count = values.length
    this.#isDense = isDenseEnough(strides[0] * dims[0], values.length)
    this.#isByEntry = isByEntry
    this.#predictions = predictions.map((ofModel) => kernel.put(ofModel))
    this.#at = {
      columns: kernel.putAll(indices),
      predictions: kernel.put(Uint32Array.from(this.#predictions)),
      values: kernel.put(values),
      folds: kernel.put(folds),
      residuals: kernel.allocate(4 * values.length),
      positions: kernel.allocate(8 * values.length),
      dims: kernel.put(Uint32Array.from(dims)),
      strides: kernel.put(BigUint64Array.from(strides, BigInt)),
    }
    const { columns, positions } = this.#at
    kernel.run.positionsOf(columns, this.#at.strides, dims.length, values.length, positions)
  }

  /**
   * The mean of the models' predictions of each entry. Where folds are made of blocks, the model of the entry's
   * own fold is left out: the regression is on residuals of entries that a model was fitted to, which may be
   * much smaller than the others.
   */
  meanPredictions(): Float32Array {
    const out = this.#kernel.allocate(4 * this.#count)
    const folds = this.#isByEntry ? 0 : this.#at.folds
    this.#kernel.run.meanOf(this.#at.predictions, this.#predictions.length, folds, this.#count, out)
    return this.#kernel.floats(out, this.#count).slice()
  }

  /**
   * Computes the features of all entries, each from the residuals of the model that was fitted without its
   * fold, and the sums of the regression over each fold.
   * @param lags per mode, its lags; none where it is not ordered
   */
  sumFolds(lags: readonly (readonly number[])[], isRelative: boolean): RidgeSums[] {
    const kernel = this.#kernel
    const { run } = kernel
    const { columns, values, folds, residuals, positions } = this.#at
    const size = featureCount(lags)
    const { cells, fibers, field } = this.#index()
    this.#setNeighbours(lags)
    const features = this.#featuresOf(size)
    const row = kernel.allocate(8 * size)
    return this.#predictions.map((predictions, fold) => {
      const least = isRelative ? leastOf(kernel.floats(predictions, this.#count)) : 0
      run.residualsOf(values, predictions, this.#count, least, residuals)
      for (const { address, bytes } of field.arrays) kernel.bytes(address, bytes).fill(0)
      const without = this.#isByEntry ? NO_FOLD : fold
      run.setResiduals(this.#count, cells.numbers, fibers, residuals, folds, without)
      const XX = kernel.allocate(8 * size * size)
      const Xr = kernel.allocate(8 * size)
      for (let from = 0; from < this.#count; from += BLOCK) {
        const to = Math.min(this.#count, from + BLOCK)
        run.sumFeatures(
          ...([from, to, folds, fold, columns, positions, cells.numbers, fibers] as const),
          ...([values, predictions, least, size, row, features, XX, Xr] as const),
        )
      }
      return { XX: kernel.doubles(XX, size * size).slice(), Xr: kernel.doubles(Xr, size).slice() }
    })
  }

  /**
   * Corrects the predictions of all entries by the features of the last `sumFolds`. Returns them, and the sum
   * of their squared errors.
   * @param weights per fold, the coefficients
   */
  correct(weights: readonly Float64Array[]): { predictions: Float32Array; squares: number } {
    const kernel = this.#kernel
    const { values, folds, predictions } = this.#at
    const out = kernel.allocate(4 * this.#count)
    const table = kernel.putAll(weights)
    const size = weights[0].length
    const features = this.#features.address
    const squares = kernel.run.correct(values, folds, predictions, table, features, size, this.#count, out)
    return { predictions: kernel.floats(out, this.#count).slice(), squares }
  }

  /** Memory for the features of all entries. @param size number of features */
  #featuresOf(size: number): number {
    if (size > this.#features.capacity)
      this.#features = { address: this.#kernel.allocate(4 * size * this.#count), capacity: size }
    return this.#features.address
  }

  /** Sets the neighbours of a cell in the kernel: those at lags, and the window. */
  #setNeighbours(lags: readonly (readonly number[])[]): void {
    const kernel = this.#kernel
    const { steps, offsets } = windowOf(lags, { strides: this.#strides, isDense: this.#isDense })
    const modes = lags.flatMap((some, mode) => some.map(() => mode))
    kernel.run.setNeighbours(
      modes.length,
      kernel.put(Uint32Array.from(modes)),
      kernel.put(Uint32Array.from(lags.flat())),
      offsets.length,
      kernel.put(BigUint64Array.from(offsets, (by) => BigInt.asUintN(64, BigInt(by)))),
      kernel.put(steps),
      kernel.put(Uint32Array.from(lags, (some) => (some.length > 0 ? WINDOW : 0))),
    )
  }

  /** Numbers the cells and fibers of all entries, and makes the field of residuals by number. */
  #index(): { cells: Numbers; fibers: number; field: Field } {
    if (this.#indexed) return this.#indexed
    const kernel = this.#kernel
    const { positions } = this.#at
    const all = this.#strides[0] * this.#dims[0]
    const cells = this.#number(positions, this.#isDense ? all : Infinity)
    const scratch = kernel.allocate(8 * this.#count)
    const ofFibers = this.#dims.map((dim, mode) => {
      kernel.run.fiberPositions(positions, this.#count, BigInt(this.#strides[mode]), BigInt(dim), scratch)
      return this.#number(scratch, all / dim)
    })
    const fibers = kernel.put(Uint32Array.from(ofFibers, ({ numbers }) => numbers))
    const arrays: Field['arrays'] = []
    const add = (bytes: number): number => {
      const address = kernel.allocate(bytes)
      arrays.push({ address, bytes })
      return address
    }
    const residuals = add(4 * cells.count)
    const isKnown = add(cells.count)
    const width = this.#isDense ? 4 : 8
    const tables = (): number => kernel.put(Uint32Array.from(ofFibers, ({ count }) => add(width * count)))
    kernel.run.setField(
      ...([this.#dims.length, this.#isDense ? 1 : 0, this.#at.dims, this.#at.strides] as const),
      ...([residuals, isKnown, tables(), tables(), cells.slots, cells.mask, cells.keys] as const),
    )
    this.#indexed = { cells, fibers, field: { arrays } }
    return this.#indexed
  }

  /**
   * Numbers positions: by themselves where they are dense or no more than the entries, else by a hash table.
   * @param positions their address
   * @param all above the largest position; Infinity if they are not to be numbered by themselves
   */
  #number(positions: number, all: number): Numbers {
    const kernel = this.#kernel
    const numbers = kernel.allocate(4 * this.#count)
    if (all <= this.#count || (this.#isDense && all < Infinity)) {
      kernel.run.numberByPosition(positions, this.#count, numbers)
      return { count: all, numbers, slots: 0, mask: 0, keys: 0 }
    }
    const length = slotsFor(this.#count)
    const slots = kernel.allocate(4 * length)
    const keys = kernel.allocate(8 * this.#count)
    const count = kernel.run.numberByHash(positions, this.#count, slots, length - 1, keys, numbers)
    return { count, numbers, slots, mask: length - 1, keys }
  }
}

/** The least prediction that residuals are relative to: a fraction of the mean prediction. */
export function leastOf(predictions: Float32Array): number {
  let mean = 0
  for (let e = 0; e < predictions.length; e++) mean += predictions[e] / predictions.length
  return Math.max(LEAST * mean, 1e-30)
}
