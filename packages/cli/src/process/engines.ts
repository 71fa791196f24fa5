/** The engine of a command, by its --engine option. */
import { type Command, Option } from 'commander'
import { type Engine, InputError } from 'lacuna'
import { autoEngine, type CpuEngine, cpuEngine, findAdapter, gpuEngine } from 'lacuna/internal'
import { print, printJson } from '../print/print.ts'

/** Values of --engine. */
export const engineNames = ['cpu', 'gpu', 'auto'] as const
/** A value of --engine. */
export type EngineName = (typeof engineNames)[number]

/** An engine as commands use it: with a number of threads and a communicator. */
export type LocalEngine = Engine & Pick<CpuEngine, 'threads' | 'communicator'>

/** Adds --engine to a command, and returns it. */
export const addEngineOption = (command: Command): Command =>
  command.addOption(
    new Option(
      '--engine <name>',
      'cpu (default), gpu (through WebGPU), or auto: the GPU where it is faster',
    ).choices(engineNames),
  )

/** Options of openEngine. */
export interface EngineOptions {
  /** The value of --engine; cpu by default. */
  engine?: EngineName
  /** Number of CPU threads. */
  threads: number
  /** Least number of partitions of the entries; 1 by default. */
  parts?: number
  /** Called with notices about the engine. */
  onRemark?: (sentence: string) => void
}

/** Opens the engine of --engine. Throws where there is no GPU. */
export async function openEngine({
  engine = 'cpu',
  onRemark,
  ...given
}: EngineOptions): Promise<LocalEngine> {
  const { threads, parts = 1 } = given
  if (engine === 'cpu') return cpuEngine({ threads, parts })
  if (engine === 'auto') return autoEngine({ threads, parts, onRemark })
  return gpuEngine({ threads, parts, onRemark })
}

/** Prints the engines of this machine, for `lacuna info --engines`. @param threads number of CPU threads */
export async function printEngines(threads: number, json: boolean): Promise<void> {
  const found = await findAdapter().catch((error) => {
    if (error instanceof InputError) return error
    throw error
  })
  const isAvailable = !(found instanceof InputError)
  const gpu = isAvailable
    ? {
        available: true,
        name: found.name,
        software: found.isSoftware,
        subgroups: found.adapter.features.has('subgroups'),
      }
    : { available: false, why: found.message }
  const isUsed = isAvailable && !found.isSoftware
  const auto = isUsed ? 'gpu' : 'cpu'
  if (json) return printJson({ cpu: { threads }, gpu, auto })
  const gpuLine = isAvailable
    ? `${found.name}${found.isSoftware ? ', a software renderer: slow' : ''}`
    : found.message
  const lines = {
    cpu: cpuEngine({ threads }).description,
    gpu: gpuLine,
    auto: isUsed ? 'gpu for large problems, cpu for others' : 'cpu',
  }
  await print(
    Object.entries(lines)
      .map(([name, what]) => `${name.padEnd(6)}${what}`)
      .join('\n'),
  )
}
