/** Which engine a command runs on, as it is asked for. */
import { type Command, Option } from 'commander'
import { type Engine, InputError } from 'lacuna'
import {
  autoEngine,
  type CpuEngine,
  cpuEngine,
  findAdapter,
  gpuEngine,
  option,
  sentence,
} from 'lacuna/internal'
import { print, printJson } from '../print/print.ts'

export const engineNames = ['cpu', 'gpu', 'auto'] as const
export type EngineName = (typeof engineNames)[number]

/** An engine as commands use it: with a number of threads and a communicator. */
export type LocalEngine = Engine & Pick<CpuEngine, 'threads' | 'communicator'>

export const addEngineOption = (command: Command): Command =>
  command.addOption(
    new Option(
      '--engine <name>',
      'cpu (default), gpu (a graphics card, through WebGPU), or auto: the card where it gains',
    ).choices(engineNames),
  )

export interface EngineAsked {
  engine?: EngineName
  threads: number
  parts?: number
  missing?: string
  onRemark?: (sentence: string) => void
}

export async function openEngine({
  engine = 'cpu',
  missing,
  onRemark,
  ...given
}: EngineAsked): Promise<LocalEngine> {
  const { threads, parts = 1 } = given
  if (engine === 'cpu') return cpuEngine({ threads, parts })
  if (engine === 'auto') return autoEngine({ threads, parts, onRemark })
  if (missing === 'zero')
    throw new InputError(
      'option',
      sentence`With ${option('missing', 'zero')} only the CPU solves; leave ${option('engine', 'gpu')} out.`,
    )
  return gpuEngine({ threads, parts, onRemark })
}

/** What lacuna info --engines tells. */
export async function tellEngines(threads: number, json: boolean): Promise<void> {
  const found = await findAdapter().catch((error) => {
    if (error instanceof InputError) return error
    throw error
  })
  const isThere = !(found instanceof InputError)
  const gpu = isThere
    ? {
        available: true,
        name: found.name,
        software: found.isSoftware,
        subgroups: found.adapter.features.has('subgroups'),
      }
    : { available: false, why: found.message }
  const isUsed = isThere && !found.isSoftware
  const auto = isUsed ? 'gpu' : 'cpu'
  if (json) return printJson({ cpu: { threads }, gpu, auto })
  const card = isThere
    ? `${found.name}${found.isSoftware ? ', a program that stands in for a card: slow' : ''}`
    : found.message
  const lines = {
    cpu: cpuEngine({ threads }).description,
    gpu: card,
    auto: isUsed ? 'gpu for large problems, cpu for others' : 'cpu',
  }
  await print(
    Object.entries(lines)
      .map(([name, what]) => `${name.padEnd(6)}${what}`)
      .join('\n'),
  )
}
