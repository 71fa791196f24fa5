/**
 * An ensemble as one .npz: model_1/ … model_K/, each with the members of a model's file, and beside them
 * metadata.json with the labels and the quantiles for prediction intervals, entries_1.npy and mean_1.npy …,
 * residual_scale_1.npy … and, where groups of cells were lost, lost_groups.npy for intervals, and, where
 * neighbours count, residuals.npy and residual_index_1.npy …
 * NumPy reads the factors with numpy.load(file)['model_1/factor_1'].
 */
import type { Bytes } from '../../base/bytes.ts'
import { type InputError, inFile } from '../../base/inputError.ts'
import { findShapeFault, type Shape } from '../../base/jsonShape.ts'
import {
  CpEnsemble,
  CpModel,
  type Intervals,
  type LostCells,
  type Neighbours,
  type ResidualGroups,
} from '../../model/index.ts'
import {
  decodeNpy,
  encodeNpz,
  type NpzEntries,
  npzChunks,
  type UnpackOptions,
  unpackNpz,
} from '../npz/index.ts'
import {
  damagedField,
  ENSEMBLE_VERSION,
  isNumber,
  isRecord,
  MODEL_FORMAT,
  MODEL_VERSION,
  namesFromJson,
  namesToJson,
  parseMetadata,
  readNames,
} from '../text/index.ts'
import { decodeModelFiles, modelEntries } from './modelFile.ts'
import { readStatistics, statisticsArrays, statisticsToJson } from './modelStatistics.ts'

/** A file that names more members than this is refused as damaged. */
const MAX_MEMBERS = 1000

/** The JSON of prediction intervals: all but their arrays. */
const intervalsShape: Shape = {
  scale: { predictions: ['number'], sizes: ['number'] },
  support: ['number'],
  scales: [['number']],
  residuals: [['number']],
  shares: ['number'],
  'leastEntries?': ['number'],
  'scaleEnds?': ['boolean'],
  'lost?': {
    modes: ['number'],
    sizes: ['number'],
    support: ['number'],
    scales: [['number']],
    residuals: [['number']],
    shares: ['number'],
    independent: 'number',
  },
  'emptyRows?': [
    {
      modes: ['number'],
      kinds: ['string'],
      ranges: [['number']],
      predictions: ['number'],
      sizes: ['number'],
      residuals: ['number'],
      independent: 'number',
    },
  ],
}
/** The JSON of the regression on neighbouring residuals: all but its arrays. */
const neighboursShape: Shape = {
  lags: [['number']],
  isRelative: 'boolean',
  least: 'number',
  weights: ['number'],
}

/** Encodes an ensemble as an .npz file, which NumPy opens: model_1/factor_1 … */
export const encodeEnsemble = (ensemble: CpEnsemble): Bytes => encodeNpz(ensembleEntries(ensemble))

/** Encodes an ensemble as `encodeEnsemble` does, in chunks, of which the factors are views. */
export const ensembleChunks = (ensemble: CpEnsemble): Generator<Uint8Array> =>
  npzChunks(ensembleEntries(ensemble))

/** Returns the files of an ensemble's .npz by name. */
export function ensembleEntries(ensemble: CpEnsemble): NpzEntries {
  const { dims, members, weights, neighbours, intervals, observed, training } = ensemble
  // Releases that know neither links nor weights refuse such files.
  const version = weights || members.some(({ link }) => link) ? MODEL_VERSION : ENSEMBLE_VERSION
  const about = {
    ...{ format: MODEL_FORMAT, version, dims, members: members.length, weights },
    ...namesToJson(ensemble),
    ...statisticsToJson({ observed }),
    intervals: intervals && {
      ...intervals,
      scale: { ...intervals.scale, rows: undefined },
      lost: intervals.lost && { ...intervals.lost, isEmpty: undefined },
    },
    neighbours: neighbours && { ...neighbours, indices: undefined, residuals: undefined },
    training,
  }
  const entries: NpzEntries = {
    'metadata.json': new TextEncoder().encode(`${JSON.stringify(about, null, 1)}\n`),
    ...statisticsArrays({ rank: 0, observed }),
  }
  intervals?.scale.rows.forEach((data, mode) => {
    entries[`residual_scale_${mode + 1}.npy`] = { shape: [data.length], data }
  })
  if (intervals?.lost)
    entries['lost_groups.npy'] = { shape: [...intervals.lost.sizes], data: intervals.lost.isEmpty }
  if (neighbours) {
    const { indices, residuals } = neighbours
    entries['residuals.npy'] = { shape: [residuals.length], data: residuals }
    indices.forEach((data, mode) => {
      entries[`residual_index_${mode + 1}.npy`] = { shape: [data.length], data }
    })
  }
  members.forEach((member, k) => {
    // The labels are those of the ensemble.
    const { labels, modes, ...fields } = member.fields
    for (const [name, entry] of Object.entries(modelEntries(new CpModel(fields))))
      entries[`model_${k + 1}/${name}`] = entry
  })
  return entries
}

/**
 * Decodes a single model or an ensemble from the bytes of an .npz; throws if the file is neither or is
 * damaged.
 * @param name the file, for messages
 */
export function decodeAnyModel(
  bytes: Uint8Array,
  name: string,
  options?: UnpackOptions,
): CpModel | CpEnsemble {
  const files = unpackNpz(bytes, name, options)
  const text = files['metadata.json']
  const metadata = text === undefined ? {} : parseMetadata(text, name)
  if (metadata.format !== MODEL_FORMAT || metadata.members === undefined) return decodeModelFiles(files, name)
  const names = readNames(metadata, 'ensemble', MODEL_VERSION, name)
  const { members, weights, training = {}, intervals, neighbours } = metadata
  if (!isNumber(members) || !Number.isInteger(members) || members < 1 || members > MAX_MEMBERS)
    throw damagedField('members', name)
  if (!isRecord(training)) throw damagedField('training record', name)
  if (weights !== undefined && findShapeFault(weights, ['number'])) throw damagedField('weights', name)
  const { dims } = names
  return inFile(
    name,
    () =>
      new CpEnsemble({
        dims,
        ...namesFromJson(names),
        members: Array.from({ length: members }, (_, k) =>
          decodeModelFiles(filesIn(files, `model_${k + 1}/`), name),
        ),
        ...(weights !== undefined && { weights: weights as number[] }),
        ...readStatistics(files, { observed: metadata.observed }, [dims.length, 0], name),
        ...(intervals !== undefined && { intervals: readIntervals(files, intervals, dims, name) }),
        ...(neighbours !== undefined && { neighbours: readNeighbours(files, neighbours, dims, name) }),
        training,
      }),
  )
}

/** Returns the unpacked files whose names begin with `folder` (ending in /), by their names without it. */
function filesIn(files: Record<string, Uint8Array>, folder: string): Record<string, Uint8Array> {
  return Object.fromEntries(
    Object.entries(files).flatMap(([name, bytes]) =>
      name.startsWith(folder) ? [[name.slice(folder.length), bytes]] : [],
    ),
  )
}

/**
 * Returns the data of prediction intervals: `value` of metadata.json and the arrays residual_scale_1 … of the
 * .npz. Throws if they are incomplete or do not fit together.
 */
function readIntervals(
  files: Record<string, Uint8Array>,
  value: unknown,
  dims: readonly number[],
  name: string,
): Intervals {
  const fault = damagedField('intervals', name)
  if (findShapeFault(value, intervalsShape)) throw fault
  const intervals = value as Intervals
  const { scale, emptyRows = [], lost } = intervals
  const rows = dims.map((_, mode) =>
    Float32Array.from(numbersOf(files, `residual_scale_${mode + 1}.npy`, name, fault)),
  )
  const isEmpty = lost && Uint8Array.from(numbersOf(files, 'lost_groups.npy', name, fault))
  const isWhole =
    [intervals, ...(lost ? [lost] : [])].every(areGroupsWhole) &&
    (!lost || (lost.independent > 0 && areLostCells({ ...lost, isEmpty: isEmpty! }, dims))) &&
    [scale, ...emptyRows].every(
      ({ sizes, predictions }) => sizes.length > 0 && sizes.length === predictions.length,
    ) &&
    emptyRows.every(
      (group) =>
        group.residuals.length > 0 &&
        group.independent > 0 &&
        [group.kinds, group.ranges].every(({ length }) => length === group.modes.length) &&
        group.ranges.every(({ length }) => length === 2),
    ) &&
    rows.every((own, mode) => own.length === dims[mode] && own.every((x) => x > 0 && Number.isFinite(x)))
  if (!isWhole) throw fault
  return { ...intervals, scale: { ...scale, rows }, ...(lost && { lost: { ...lost, isEmpty: isEmpty! } }) }
}

/** Whether groups of residuals fit together: each has its border, quantiles and shrinkage. */
function areGroupsWhole({ support, scales, residuals, shares }: ResidualGroups): boolean {
  const groups = scales.reduce((sum, borders) => sum + borders.length + 1, 0)
  return (
    scales.length === support.length + 1 &&
    residuals.length === groups &&
    shares.length === groups &&
    residuals.every(({ length }) => length > 0)
  )
}

/** Whether groups of cells without entries are those of some modes; there may be more rows than in training. */
const areLostCells = ({ modes, sizes, isEmpty }: LostCells, dims: readonly number[]): boolean =>
  sizes.length === modes.length &&
  modes.every((mode, m) => mode in dims && sizes[m] <= dims[mode]) &&
  isEmpty.length === sizes.reduce((product, size) => product * size, 1)

/** Returns the numbers of an .npy file of the .npz; throws `fault` if it is missing. @param name the .npz */
function numbersOf(
  files: Record<string, Uint8Array>,
  file: string,
  name: string,
  fault: InputError,
): ArrayLike<number> {
  if (!files[file]) throw fault
  return Array.from(decodeNpy(files[file], `${name}, ${file}`).data, Number)
}

/**
 * Returns the regression on neighbouring residuals: `value` of metadata.json and the arrays residuals and
 * residual_index_1 … of the .npz. Throws if they are incomplete or do not fit together.
 */
function readNeighbours(
  files: Record<string, Uint8Array>,
  value: unknown,
  dims: readonly number[],
  name: string,
): Neighbours {
  const fault = damagedField('neighbours', name)
  if (findShapeFault(value, neighboursShape)) throw fault
  const { lags, isRelative, least, weights } = value as Neighbours
  const read = (file: string): ArrayLike<number> => numbersOf(files, file, name, fault)
  const residuals = Float32Array.from(read('residuals.npy'))
  const indices = dims.map((_, mode) => Uint32Array.from(read(`residual_index_${mode + 1}.npy`)))
  const isInside = (column: Uint32Array, mode: number): boolean =>
    column.length === residuals.length && column.every((index) => index < dims[mode])
  const isLag = (lag: number): boolean => Number.isInteger(lag) && lag >= 1
  const features = lags.flat().length + dims.length + (lags.some((some) => some.length > 0) ? 1 : 0)
  if (
    lags.length !== dims.length ||
    !lags.flat().every(isLag) ||
    weights.length !== features ||
    !indices.every(isInside) ||
    !residuals.every(Number.isFinite)
  )
    throw fault
  return { lags, isRelative, least, weights, indices, residuals }
}
