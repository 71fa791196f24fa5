/** The entries of a job, and what is held out of them. */
import { type CpModel, InputError, type SparseTensor } from 'lacuna'
import type { ReadingOptions } from '../../options/readTensor.ts'
import { tableOptions } from '../../options/tableOptions.ts'
import { formatCount } from '../../print/format.ts'
import type { Progress } from '../../print/terminal.ts'
import { collectGarbage } from '../../process/memory.ts'
import { type CompleteOptions, isCrossFitted } from './completeOptions.ts'
import type { Entries } from './entries.ts'

export interface Parts {
  train: SparseTensor
  validation?: SparseTensor
  test?: SparseTensor
}

/** Reads the entries and what is held out of them; all parts get the size that holds them all. */
export async function readParts(
  files: readonly string[],
  options: CompleteOptions,
  initial: CpModel | undefined,
  entries: Entries,
  progress: Progress,
): Promise<Parts> {
  const { negative, duplicates, mask, seed, threads } = options
  const dims = options.dims ?? initial?.dims
  const asked = { ...tableOptions(options), dims, negative, duplicates, threads }
  const deferDuplicateCheck = goesAsItIs(options)
  const train = await entries.read(files, { ...asked, mask, ...alike(initial), deferDuplicateCheck })
  collectGarbage() // the file, and its pieces
  const parts: Parts = { train }
  for (const part of ['validation', 'test'] as const) {
    const from = options[part]
    if (typeof from === 'string')
      parts[part] = await entries.read([from], { ...fromFile(asked, part), ...alike(train) })
  }
  const shares = {
    validation: typeof options.validation === 'number' ? options.validation : 0,
    test: typeof options.test === 'number' ? options.test : 0,
  }
  if (shares.validation + shares.test > 0) {
    const zeros = options.missing === 'zero'
    const { train, validation, test } = await entries.split(parts.train, shares, seed, zeros)
    parts.train = train
    for (const [part, heldOut] of Object.entries({ validation, test }) as [
      'validation' | 'test',
      SparseTensor,
    ][]) {
      if (shares[part] === 0) continue
      parts[part] = heldOut
      progress.say(
        `Held out for ${part}: ${formatCount(await entries.count(heldOut))} ${zeros ? 'cells' : 'entries'}`,
      )
    }
  }
  return withCommonDims(files.join(' '), parts)
}

/** Whether one run learns from all entries, each of which counts: nothing is held out, for a verdict or for trials. */
function goesAsItIs(options: CompleteOptions): boolean {
  const { validation, test, missing, rank, choose, lags, features } = options
  const isDivided = typeof validation === 'number' || typeof test === 'number' || isCrossFitted(options)
  return !isDivided && missing !== 'zero' && rank !== 'auto' && !choose && !lags && !features
}

/** What has labels fixes which index each label has. */
function alike(known: SparseTensor | CpModel | undefined): Pick<ReadingOptions, 'like' | 'dims'> {
  return known?.modes ? { like: known, ...(known.labels && { dims: known.dims }) } : {}
}

/** Held-out entries are files, even if the others come from a database or a query. The verdict counts all of them alike. */
function fromFile(
  { query, database, weight, ...options }: ReadingOptions,
  part: 'validation' | 'test',
): ReadingOptions {
  return part === 'test' || weight === undefined ? options : { ...options, weight }
}

function withCommonDims(file: string, parts: Parts): Parts {
  const tensors: SparseTensor[] = Object.values(parts).filter((part) => part !== undefined)
  const order = tensors[0].dims.length
  for (const { dims } of tensors)
    if (dims.length !== order)
      throw new InputError(
        'option',
        `${file} has ${order} modes, but its held-out entries have ${dims.length}.`,
      )
  const dims = tensors[0].dims.map((_, mode) => Math.max(...tensors.map((tensor) => tensor.dims[mode])))
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, part && { ...part, dims }]),
  ) as unknown as Parts
}
