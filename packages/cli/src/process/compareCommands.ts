/** Finds processes of an MPI job that were started otherwise than the root, before they work together. */
import { InputError, version } from 'lacuna'
import type { Communicator, OptionMention, Sentence } from 'lacuna/internal'
import { sentence } from 'lacuna/internal'

/** The message that a process broadcasts about itself. Other versions read it, so that members may only be added. */
interface Start {
  /** Version of Lacuna. */
  lacuna: string
  /** Paths of the input, as typed. */
  files: readonly string[]
  /** Options as parsed, with their defaults. */
  options: Readonly<Record<string, unknown>>
}

/** Options that may differ between processes: those of the machine that a process runs on. */
const ofMachine = ['threads', 'mpiLibrary']

/**
 * Throws in all processes if one of them runs another version of Lacuna than the root, or was started with
 * other files or options. Collective, and the first of all operations of a job.
 */
export async function compareCommands(
  communicator: Communicator,
  files: readonly string[],
  options: object,
): Promise<void> {
  if (communicator.size === 1) return
  const own: Start = { lacuna: version, files, options: { ...options } }
  const starts = (await communicator.allGatherTexts(JSON.stringify(own))).map(parseStart)
  for (const [rank, start] of starts.entries()) {
    const difference = findDifference(start, starts[0])
    if (difference)
      throw new InputError('option', sentence`Process ${rank + 1} of ${communicator.size} ${difference}.`)
  }
}

/** Parses the message of a process about itself; undefined if another version wrote it in another form. */
function parseStart(text: string): Start | undefined {
  try {
    const start = JSON.parse(text)
    return typeof start?.lacuna === 'string' ? start : undefined
  } catch {
    return undefined
  }
}

/** Describes the first difference between a process and the root, as the end of a sentence; undefined if none. */
function findDifference(start: Start | undefined, root: Start | undefined): Sentence | undefined {
  if (start?.lacuna !== root?.lacuna)
    return sentence`runs ${nameVersion(start)}, process 1 ${nameVersion(root)}: install the same version for all`
  if (!start || !root) return undefined
  const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
  if (!isSame(start.files, root.files))
    return sentence`was started with ${nameFiles(start)}, process 1 with ${nameFiles(root)}: start all with the same command`
  const names = new Set([...Object.keys(root.options), ...Object.keys(start.options)])
  for (const name of names) {
    const [own, other] = [start.options[name], root.options[name]]
    if (ofMachine.includes(name) || isSame(own, other)) continue
    const typed = nameOption(name, own)
    const typedByRoot = nameOption(name, other)
    const same = 'start all with the same command'
    if (typed && typedByRoot)
      return sentence`was started with ${typed}, process 1 with ${typedByRoot}: ${same}`
    if (typed) return sentence`was started with ${typed}, process 1 without: ${same}`
    if (typedByRoot) return sentence`was started without ${typedByRoot}, process 1 with it: ${same}`
    return sentence`was started with another ${mention(name)} than process 1: ${same}`
  }
  return undefined
}

/** Name of a process's version. */
const nameVersion = (start: Start | undefined): string =>
  start ? `Lacuna ${start.lacuna}` : 'another version of Lacuna'

/** The files of a process, as typed. */
const nameFiles = ({ files }: Start): string => (files.length > 0 ? files.join(' ') : 'no file')

/** Mentions an option with the values that it has. */
const mention = (option: string, ...values: (string | number)[]): OptionMention => ({
  option,
  values,
  set: true,
})

/** Mentions an option as it was typed; undefined if it was not given, or its value is not a word or number. */
function nameOption(name: string, value: unknown): OptionMention | undefined {
  if (value === true) return mention(name)
  if (value === false) return mention(`no${name[0].toUpperCase()}${name.slice(1)}`)
  return typeof value === 'string' || typeof value === 'number' ? mention(name, value) : undefined
}
