import { InputError } from '../inputError.ts'
import {
  type ArrangedModes,
  type Arrangement,
  arrangeColumns,
  arrangedModes,
  type FixedArrangement,
  fixArrangement,
  isArranged,
  rowAt,
} from '../tensor/arrangement.ts'
import { MAX_ORDER, type Mode, type SparseTensor } from '../tensor/sparseTensor.ts'
import type { ErrorSummary } from './errorSummary.ts'
import { ErrorTally } from './errorTally.ts'
import { fillSlice } from './fillSlice.ts'
import { LabelLookup, type Labels } from './labelLookup.ts'

/** How a model was trained: solver, rank, lambda, sample, seed, epochs, errors … as plain JSON. */
export interface TrainingRecord {
  [key: string]: unknown
}

export interface CpModelFields {
  /** I_1 … I_N */
  dims: readonly number[]
  /** R */
  rank: number
  /**
   * The paper's A⁽¹⁾ … A⁽ᴺ⁾: factors[i] is (I_i × R), row-major, nonnegative. With an arrangement, those of the arranged
   * modes.
   */
  factors: readonly Float32Array[]
  /** Which modes were learned as one, and which as several. */
  arrangement?: Arrangement
  labels?: readonly (readonly string[] | undefined)[]
  modes?: readonly Mode[]
  /** Per factor, the rows that no training entry spoke of; none by default. */
  unobserved?: readonly Uint32Array[]
  training?: TrainingRecord
}

/** A slice is refused beyond this many values: 1 GiB of float32. */
const MAX_SLICE = 2 ** 28

/**
 * What is learned: X ≈ Σ_r a_r⁽¹⁾ ∘ … ∘ a_r⁽ᴺ⁾, the tensor with its gaps filled, held as its factors. Indices, labels and
 * sizes are those of the data, whatever modes were merged or split to learn from it.
 */
export class CpModel {
  readonly dims: readonly number[]
  readonly rank: number
  readonly factors: readonly Float32Array[]
  /** Which modes were learned as one, and which as several; undefined where none were. */
  readonly arrangement?: FixedArrangement
  readonly labels?: readonly (readonly string[] | undefined)[]
  /** What the modes stand for, if known. */
  readonly modes?: readonly Mode[]
  /** Per factor, the rows that no training entry spoke of: they have the mean of the others. */
  readonly unobserved: readonly Uint32Array[]
  readonly training: TrainingRecord

  /** The modes of the factors, as parts of the model's own. */
  readonly arrangedModes: ArrangedModes

  #lookup: LabelLookup | undefined

  constructor({ dims, rank, factors, arrangement = {}, labels, modes, unobserved, training }: CpModelFields) {
    checkDims(dims)
    if (labels) checkLabels(dims, labels)
    if (modes && modes.length !== dims.length)
      throw new InputError('shape', `The model has ${dims.length} modes but names for ${modes.length}.`)
    const fixed = fixArrangement(arrangement, { dims, modes })
    this.arrangedModes = arrangedModes(fixed, dims)
    checkShapes(this.arrangedModes.dims, rank, factors)
    checkFactors(rank, factors)
    if (isArranged(fixed)) this.arrangement = fixed
    this.dims = dims
    this.rank = rank
    this.factors = factors
    if (labels) this.labels = labels
    if (modes) this.modes = modes
    this.unobserved = unobserved ?? factors.map(() => new Uint32Array(0))
    this.training = training ?? {}
  }

  /**
   * The value at a coordinate: 0-based indices, or the label of each mode by the mode's name, as in
   * `{ user: 'a', film: 'x' }`. In a mode without labels, whose values are its indices, that is the index from 1.
   */
  predict(coordinate: readonly number[] | Labels): number {
    return isIndices(coordinate) ? this.#predictAt(coordinate) : this.#predictAt(this.#indicesOf(coordinate))
  }

  #predictAt(coordinate: readonly number[]): number {
    this.#checkOrder(coordinate.length, 'The coordinate')
    coordinate.forEach((index, mode) => {
      this.#checkIndex(index, mode, 'The coordinate')
    })
    const { rank, factors } = this
    const product = new Float64Array(rank).fill(1)
    this.arrangedModes.digits.forEach((digits, k) => {
      const start = rank * rowAt(digits, coordinate)
      for (let r = 0; r < rank; r++) product[r] *= factors[k][start + r]
    })
    return product.reduce((sum, term) => sum + term, 0)
  }

  /** Other properties than the modes are passed over, so that whole rows can be asked for. */
  #indicesOf(labels: Labels): number[] {
    if (!this.modes)
      throw new InputError(
        'option',
        'The modes of this model have no names; give the indices, from 0, instead.',
      )
    this.#lookup ??= new LabelLookup(this.modes, this.labels)
    return this.#lookup.indicesOf(labels)
  }

  /** The values at many coordinates, given as one column of 0-based indices per mode. */
  predictMany(indices: readonly Uint32Array[]): Float32Array {
    this.#checkColumns(indices)
    const predictions = new Float32Array(indices[0].length)
    this.#forEachPrediction(indices, (entry, y) => {
      predictions[entry] = y
    })
    return predictions
  }

  /** A dense part of the tensor, row-major: a number fixes that mode's index, null takes the whole mode. */
  slice(fixed: readonly (number | null)[]): { dims: number[]; values: Float32Array } {
    this.#checkOrder(fixed.length, 'The slice')
    fixed.forEach((index, mode) => {
      if (index !== null) this.#checkIndex(index, mode, 'The slice')
    })
    const free = fixed.flatMap((index, mode) => (index === null ? [mode] : []))
    const dims = free.map((mode) => this.dims[mode])
    const size = dims.reduce((product, dim) => product * dim, 1)
    if (size > MAX_SLICE)
      throw new InputError(
        'memory',
        `The slice would hold ${dims.join(' × ')} = ${size} values, more than ${MAX_SLICE}; fix the index of another mode.`,
      )
    const values = new Float32Array(size)
    fillSlice(values, this.dims, fixed, { rank: this.rank, factors: this.factors, modes: this.arrangedModes })
    return { dims, values }
  }

  /** How far the model is from observed entries. */
  error(tensor: SparseTensor): ErrorSummary {
    return this.errorTally(tensor).summary
  }

  /** The same, to be added to those of other entries. */
  errorTally(tensor: SparseTensor): ErrorTally {
    this.#checkColumns(tensor.indices)
    const x = tensor.values
    if (tensor.indices[0].length !== x.length)
      throw new InputError(
        'shape',
        `The tensor has ${tensor.indices[0].length} coordinates for ${x.length} values.`,
      )
    const tally = new ErrorTally()
    this.#forEachPrediction(tensor.indices, (entry, y) => tally.add(x[entry], y))
    return tally
  }

  #forEachPrediction(columns: readonly Uint32Array[], visit: (entry: number, y: number) => void): void {
    const { rank, factors } = this
    const indices = arrangeColumns(this.arrangedModes, columns)
    const last = factors.length - 1
    const product = new Float64Array(rank) // of the rows of all modes but the last
    for (let e = 0; e < indices[0].length; e++) {
      let start = indices[0][e] * rank
      for (let r = 0; r < rank; r++) product[r] = factors[0][start + r]
      for (let mode = 1; mode < last; mode++) {
        start = indices[mode][e] * rank
        const factor = factors[mode]
        for (let r = 0; r < rank; r++) product[r] *= factor[start + r]
      }
      start = indices[last][e] * rank
      let y = 0
      for (let r = 0; r < rank; r++) y += product[r] * factors[last][start + r]
      visit(e, y)
    }
  }

  #checkOrder(found: number, what: string): void {
    if (found !== this.dims.length)
      throw new InputError(
        'shape',
        `${what} has ${found} indices, but the model has ${this.dims.length} modes.`,
      )
  }

  #checkIndex(index: number, mode: number, what: string): void {
    if (!Number.isInteger(index) || index < 0 || index >= this.dims[mode])
      throw new InputError(
        'index',
        `${what} has index ${index} in mode ${mode + 1}; it must be a whole number from 0 to ${this.dims[mode] - 1}.`,
      )
  }

  #checkColumns(indices: readonly Uint32Array[]): void {
    this.#checkOrder(indices.length, 'A coordinate')
    indices.forEach((column, mode) => {
      if (column.length !== indices[0].length)
        throw new InputError(
          'shape',
          `Mode ${mode + 1} has ${column.length} indices, but mode 1 has ${indices[0].length}; they must be equal in number.`,
        )
      const dim = this.dims[mode]
      for (let e = 0; e < column.length; e++)
        if (column[e] >= dim) this.#checkIndex(column[e], mode, `Entry ${e}`)
    })
  }
}

const isIndices = (coordinate: readonly number[] | Labels): coordinate is readonly number[] =>
  Array.isArray(coordinate)

function checkDims(dims: readonly number[]): void {
  if (dims.length < 2)
    throw new InputError('shape', `A model needs at least 2 modes, this one has ${dims.length}.`)
  if (dims.length > MAX_ORDER)
    throw new InputError(
      'shape',
      `A model has at most ${MAX_ORDER} modes, this one would have ${dims.length}.`,
    )
  dims.forEach((dim, mode) => {
    if (!Number.isInteger(dim) || dim < 1)
      throw new InputError(
        'shape',
        `The size of mode ${mode + 1} is ${dim}; it must be a whole number from 1.`,
      )
  })
}

/** dims: of the arranged modes. */
function checkShapes(dims: readonly number[], rank: number, factors: readonly Float32Array[]): void {
  if (!Number.isInteger(rank) || rank < 1)
    throw new InputError('shape', `The rank of the model is ${rank}; it must be a whole number from 1.`)
  if (factors.length !== dims.length)
    throw new InputError('shape', `The model has ${dims.length} modes but ${factors.length} factors.`)
  dims.forEach((dim, mode) => {
    if (factors[mode].length !== dim * rank)
      throw new InputError(
        'shape',
        `Factor ${mode + 1} has ${factors[mode].length} values; ${dim} rows of rank ${rank} need ${dim * rank}.`,
      )
  })
}

function checkFactors(rank: number, factors: readonly Float32Array[]): void {
  factors.forEach((factor, mode) => {
    for (let i = 0; i < factor.length; i++) {
      if (factor[i] >= 0 && factor[i] < Infinity) continue
      const row = Math.floor(i / rank)
      throw new InputError(
        'value',
        `Factor ${mode + 1} has the value ${factor[i]} in row ${row + 1}, column ${(i % rank) + 1} (counting from 1); factors must be finite and not negative.`,
      )
    }
  })
}

function checkLabels(dims: readonly number[], labels: readonly (readonly string[] | undefined)[]): void {
  if (labels.length !== dims.length)
    throw new InputError('shape', `The model has ${dims.length} modes but ${labels.length} lists of labels.`)
  labels.forEach((names, mode) => {
    if (names && names.length !== dims[mode])
      throw new InputError('shape', `Mode ${mode + 1} has ${names.length} labels for ${dims[mode]} indices.`)
  })
}
