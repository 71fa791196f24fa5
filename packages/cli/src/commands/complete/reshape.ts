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

/** Options as typed. */
export interface ReshapingOptions {
  mergeModes?: string[][]
  split?: TypedSplit[]
}

/** A split of a mode as typed. */
interface TypedSplit {
  mode: string
  into: number[]
  offset: number
}

/** Adds the options to a command. */
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

/** Parses modes separated by commas; commas within parentheses belong to a name, as in round(x, 2). */
export function parseGroup(text: string, before: string[][] = []): string[][] {
  const modes = text.split(/,(?![^(]*\))/).map((mode) => mode.trim())
  if (modes.length < 2 || modes.includes(''))
    throw new InvalidArgumentError('It must be two modes or more, as in 1,2 or origin,destination.')
  return [...before, modes]
}

/** Parses a split such as 3:24, 3:7x24 or 3:24+5. */
export function parseSplit(text: string, before: TypedSplit[] = []): TypedSplit[] {
  const [, mode, lengths, offset = '0'] = /^(.+):([0-9x×]+)(?:\+([0-9]+))?$/s.exec(text) ?? []
  const into = lengths?.split(/[x×]/).map(Number) ?? []
  if (mode === undefined || into.some((length) => !(length >= 2)))
    throw new InvalidArgumentError('It must be a mode and the length of its blocks, as in 3:24 or hour:7x24.')
  return [...before, { mode: mode.trim(), into, offset: Number(offset) }]
}

/**
 * Resolves the typed modes to numbers; without options, the reshaping of the initial model. The root knows
 * the names of modes and broadcasts the result.
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
  const own = await communicator.runOnRoot(resolve)
  return own && communicator.size === 1
    ? own
    : JSON.parse(await communicator.broadcastText(0, () => JSON.stringify(own)))
}

/** The modes after reshaping, in words. */
export function describeReshaping(
  reshaping: ResolvedReshaping,
  { dims, modes }: Pick<SparseTensor, 'dims' | 'modes'>,
): string {
  const reshaped = factorModes({ dims, modes, reshapedModes: reshapedModes(reshaping, dims) })
  return `Learned as ${reshaped.map(({ name, size }) => `${formatCount(size)} (${name})`).join(' × ')}`
}
