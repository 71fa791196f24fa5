/** --merge-modes and --split: options, parsers, and the mode reshaping that they mean. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CpModel, SparseTensor } from 'lacuna'
import {
  type Communicator,
  factorModes,
  modeNumber,
  option,
  type ResolvedReshaping,
  reshapedModes,
  resolveReshaping,
} from 'lacuna/internal'
import { formatCount } from '../../print/format.ts'

/** Values of --merge-modes and --split, as parsed from the command line. */
export interface ReshapingOptions {
  /** Groups of modes that are learned as one, by number (from 1) or name. */
  mergeModes?: string[][]
  split?: SplitOption[]
}

/** A value of --split. */
interface SplitOption {
  /** Number (from 1) or name of the mode. */
  mode: string
  /** Lengths of the blocks, outer first: [7, 24] for weeks of days of hours. */
  into: number[]
  /** Number of positions of the first block that stay empty. */
  offset: number
}

/** Adds --merge-modes and --split to a command. */
export function addReshapingOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--merge-modes <modes>',
        'learn several modes as one, whose rows are pairs: numbers or names, as in 1,2; may be repeated',
      ).argParser(parseGroup),
    )
    .addOption(
      new Option(
        '--split <mode:length>',
        'learn a mode as several: 3:24 makes days of hours, 3:7x24 weeks of days of hours, 3:24+5 leaves the first five positions of the first block empty',
      ).argParser(parseSplit),
    )
}

/**
 * Parses a value of --merge-modes, two or more modes separated by commas, and appends the group to the
 * previous ones. Commas within parentheses belong to a name, as in round(x, 2).
 */
export function parseGroup(text: string, previous: string[][] = []): string[][] {
  const modes = text.split(/,(?![^(]*\))/).map((mode) => mode.trim())
  if (modes.length < 2 || modes.includes(''))
    throw new InvalidArgumentError('It must be two modes or more, as in 1,2 or origin,destination.')
  return [...previous, modes]
}

/**
 * Parses a value of --split, MODE:LENGTHS[+OFFSET], and appends it to the previous ones. 3:24 splits mode 3
 * into blocks of 24 rows, 3:7x24 into blocks of 7 × 24; 3:24+5 leaves the first five positions of the first
 * block empty.
 */
export function parseSplit(text: string, previous: SplitOption[] = []): SplitOption[] {
  const [, mode, lengths, offset = '0'] = /^(.+):([0-9x×]+)(?:\+([0-9]+))?$/s.exec(text) ?? []
  const into = lengths?.split(/[x×]/).map(Number) ?? []
  if (mode === undefined || into.some((length) => !(length >= 2)))
    throw new InvalidArgumentError('It must be a mode and the length of its blocks, as in 3:24 or hour:7x24.')
  return [...previous, { mode: mode.trim(), into, offset: Number(offset) }]
}

/**
 * Resolves the modes of --merge-modes and --split to numbers; without these options, returns the reshaping of
 * the initial model, or none. The root knows the names of the modes and broadcasts the result.
 */
export async function parseReshaping(
  { mergeModes, split }: ReshapingOptions,
  tensor: SparseTensor,
  initial: CpModel | undefined,
  communicator: Communicator,
): Promise<ResolvedReshaping> {
  if (!mergeModes && !split) return initial?.reshaping ?? { mergeModes: [], split: [] }
  const resolve = (): ResolvedReshaping =>
    resolveReshaping(
      {
        mergeModes: (mergeModes ?? []).map((modes) =>
          modes.map((mode) => modeNumber(tensor, mode, option('mergeModes'))),
        ),
        split: (split ?? []).map((one) => ({ ...one, mode: modeNumber(tensor, one.mode, option('split')) })),
      },
      tensor,
    )
  const resolved = await communicator.runOnRoot(resolve)
  return resolved && communicator.size === 1
    ? resolved
    : JSON.parse(await communicator.broadcastText(0, () => JSON.stringify(resolved)))
}

/** Describes the modes after reshaping, as in: Learned as 9 (origin × destination) × 48 (hour). */
export function describeReshaping(
  reshaping: ResolvedReshaping,
  { dims, modes }: Pick<SparseTensor, 'dims' | 'modes'>,
): string {
  const reshaped = factorModes({ dims, modes, reshapedModes: reshapedModes(reshaping, dims) })
  return `Learned as ${reshaped.map(({ name, size }) => `${formatCount(size)} (${name})`).join(' × ')}`
}
