/** The entries of a job, and those of them that are held out. */
import { type CpModel, InputError, type SparseTensor } from 'lacuna'
import { extendRows, keepFutureRows, noteGaps } from '../../options/futureRows.ts'
import type { ReadingOptions } from '../../options/readTensor.ts'
import { duplicatesOf, tableOptions } from '../../options/tableOptions.ts'
import { formatCount } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'
import { collectGarbage } from '../../process/memory.ts'
import { type CompleteOptions, isCrossFitted } from './completeOptions.ts'
import type { Entries } from './entries.ts'

/** Training entries and held-out sets; undefined where a set was not asked for. */
export interface EntrySets {
  train: SparseTensor
  validation?: SparseTensor
  test?: SparseTensor
}

/** Names of the held-out sets. */
type HeldOutName = 'validation' | 'test'

/**
 * Reads the training entries, and reads the held-out sets from their files or splits them off at random. All
 * sets get the same dims, the largest of each mode.
 * @param files the paths of the training entries
 * @param initial the model of --initial, whose labels and dims are used
 */
export async function readEntrySets(
  files: readonly string[],
  options: CompleteOptions,
  initial: CpModel | undefined,
  entries: Entries,
  progress: Progress,
): Promise<EntrySets> {
  const { negative, mask, seed, threads } = options
  const duplicates = duplicatesOf(options)
  const dims = options.dims ?? initial?.dims
  const common = { ...tableOptions(options), dims, negative, duplicates, threads }
  const deferDuplicateCheck = isUnsplit(options)
  const { onRemark, hasGaps } = noteGaps(progress)
  const like = readLike(initial)
  const read = await entries.read(files, { ...common, mask, ...like, deferDuplicateCheck, onRemark })
  const isNew = like.like === undefined && options.dims === undefined
  const known = isNew && hasGaps() ? await keepFutureRows(read, files, options, progress) : read
  const train = extendRows(known, options.extend ?? [], progress)
  collectGarbage() // the file, and its pieces
  const sets: EntrySets = { train }
  for (const name of ['validation', 'test'] as const) {
    const file = options[name]
    if (typeof file === 'string')
      sets[name] = await entries.read([file], { ...heldOutOptions(common, name), ...readLike(train) })
  }
  const fractions = {
    validation: typeof options.validation === 'number' ? options.validation : 0,
    test: typeof options.test === 'number' ? options.test : 0,
  }
  if (fractions.validation + fractions.test > 0) {
    const zeros = options.missing === 'zero'
    const { train, ...heldOut } = await entries.split(sets.train, fractions, seed, zeros)
    sets.train = train
    for (const [name, set] of Object.entries(heldOut) as [HeldOutName, SparseTensor][]) {
      if (fractions[name] === 0) continue
      sets[name] = set
      progress.say(
        `Held out for ${name}: ${formatCount(await entries.count(set))} ${zeros ? 'cells' : 'entries'}`,
      )
    }
  }
  return withCommonDims(files.join(' '), sets)
}

/**
 * Whether all entries go to one run as they are, none held out for evaluation or trials: the run then checks
 * for duplicates itself.
 */
function isUnsplit(options: CompleteOptions): boolean {
  const { validation, test, missing, rank, choose, lags, features } = options
  const isSplit = typeof validation === 'number' || typeof test === 'number' || isCrossFitted(options)
  return !isSplit && missing !== 'zero' && rank !== 'auto' && !choose && !lags && !features
}

/**
 * Returns the options by which a reader gives labels the indices that they have in a tensor or model; empty
 * if that has no names of modes.
 */
function readLike(reference: SparseTensor | CpModel | undefined): Pick<ReadingOptions, 'like' | 'dims'> {
  return reference?.modes ? { like: reference, ...(reference.labels && { dims: reference.dims }) } : {}
}

/**
 * Returns the options for reading a held-out file: those of training without database and query, and for the
 * test set without weights, because all test entries count alike.
 */
function heldOutOptions(
  { query, database, weight, ...options }: ReadingOptions,
  name: HeldOutName,
): ReadingOptions {
  return name === 'test' || weight === undefined ? options : { ...options, weight }
}

/**
 * Returns the sets with common dims, the largest of each mode; throws if their numbers of modes differ.
 * @param file the name in messages
 */
function withCommonDims(file: string, sets: EntrySets): EntrySets {
  const tensors: SparseTensor[] = Object.values(sets).filter((set) => set !== undefined)
  const order = tensors[0].dims.length
  for (const { dims } of tensors)
    if (dims.length !== order)
      throw new InputError(
        'option',
        `${file} has ${order} modes, but its held-out entries have ${dims.length}.`,
      )
  const dims = tensors[0].dims.map((_, mode) => Math.max(...tensors.map((tensor) => tensor.dims[mode])))
  return Object.fromEntries(
    Object.entries(sets).map(([name, set]) => [name, set && { ...set, dims }]),
  ) as unknown as EntrySets
}
