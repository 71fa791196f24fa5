/**
 * Files of named arrays, as scientific programs write them (MATLAB, HDF5, NetCDF, Zarr): one interface for all of
 * them, so that the choice of a variable, missing values and labels are written once.
 */
import { InputError } from '../../base/inputError.ts'
import { formatBytes } from '../../base/memory.ts'
import type { NpyArray } from '../npz/index.ts'
import { abbreviate, oneLine } from '../text/index.ts'

/** An array as its file declares it; its elements have not been read. */
export interface VariableInfo {
  /** The path of the array in the file: `t2m`, `group/data`, or `data.X` for the field X of a struct. */
  name: string
  /** Sizes of the axes. */
  shape: readonly number[]
  /** The type of the elements, as messages name it: float32, int16, logical, text … */
  type: string
  /** Per axis its name; undefined where the file names none. */
  dimensions: readonly (string | undefined)[]
}

/** An attribute of an array: a text, or one or more numbers. */
export type AttributeValue = string | readonly number[]

/** An array of a file. */
export interface ArrayVariable extends VariableInfo {
  /** The kind of its elements: numbers, truth values, texts, or others, which cannot be read. */
  kind: 'number' | 'logical' | 'text' | 'other'
  /** Why it cannot be read, to go after "the variable NAME"; undefined if it can. */
  fault?: string
  /** Attributes by name, such as units, _FillValue, scale_factor. */
  attributes: Readonly<Record<string, AttributeValue>>
  /** Per axis, the arrays that the file attaches to it as its scale; empty where there are none. */
  scales?: readonly (readonly string[])[]
  /** Values that mean missing, beside NaN and those that attributes name. */
  missing?: readonly number[]
  /** Reads the elements in C order. Only for numbers and truth values. */
  read(): Promise<NpyArray>
  /** Reads the entries of a sparse matrix in place of `read`; undefined if the array is dense. */
  readSparse?(): SparseMatrix
  /** Reads the texts, in C order. Only for texts. */
  readTexts?(): Promise<string[]>
}

/** A sparse matrix by columns (CSC): the rows and values of column c are those from starts[c] to starts[c + 1]. */
export interface SparseMatrix {
  rows: ArrayLike<number>
  starts: ArrayLike<number>
  values: ArrayLike<number>
}

/** An opened file of arrays. */
export interface ArrayFile {
  /** The file, as messages name it. */
  name: string
  /** Its arrays, in the order of the file. */
  variables: readonly ArrayVariable[]
  /** Releases what the file holds. */
  close(): void
}

/** Options for opening a file of arrays. */
export interface OpenArrayOptions {
  /** The most bytes that an array, or what a file unpacks to, may take. */
  maxBytes: number
}

/** The most arrays that are listed of a file; more are taken for a damaged or hostile one. */
export const MAX_VARIABLES = 10_000
/** The most levels of groups or structs. */
export const MAX_DEPTH = 32

/** A name of a file's as messages show it: on one line, and not too long. */
export const shown = (name: string): string => abbreviate(oneLine(name))

/** The number of elements of an array. */
export const elementCount = (shape: readonly number[]): number => shape.reduce((size, dim) => size * dim, 1)

/** Sizes of axes for messages: 12 × 3 × 4. */
export const shapeText = (shape: readonly number[]): string => shape.join(' × ')

/**
 * Throws if the elements of an array would take more than `maxBytes`, before anything is allocated for them.
 * @param elementBytes bytes of an element in memory
 */
export function checkArrayBytes(
  file: string,
  { name, shape }: Pick<VariableInfo, 'name' | 'shape'>,
  elementBytes: number,
  maxBytes: number,
): void {
  const bytes = elementCount(shape) * elementBytes
  if (!(bytes <= maxBytes))
    throw new InputError(
      'memory',
      `${file}: the variable ${shown(name)} (${shapeText(shape)}) takes ${formatBytes(bytes)}, more than the ${formatBytes(maxBytes)} that fit in memory here; save a part of it.`,
    )
}

/** The error for a file that is cut short, damaged, or not what its name says. @param what the format */
export const damagedFile = (file: string, what: string, cause?: unknown): InputError =>
  new InputError(
    'format',
    `${file}: this is no whole ${what} file; it is truncated or damaged, write or fetch it again.`,
    {
      cause,
    },
  )
