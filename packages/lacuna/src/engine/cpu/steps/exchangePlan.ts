/** Copies areas of memory between the partitions of all processes. */
import type { Exchange } from '../../../comm/index.ts'

/** Bytes that one partition owns; they have the same address in every partition. */
export interface Area {
  address: number
  byteLength: number
}

/** The memories, and the threads and processes, between which a thread exchanges areas. */
export interface ExchangePlan {
  exchange: Exchange
  /** The memories of this process's partitions. */
  memories: readonly WebAssembly.Memory[]
  /** The number of the first of them among all processes' partitions; every process has equally many. */
  firstPart: number
  thread: number
  threads: number
  /** Barrier: waits for all threads of this process. */
  barrier(): void
}

/**
 * Copies areas between partitions: area k of a list is owned by partition k and is copied to all others.
 * All threads of all processes call this together, with the same lists; no call returns before everything has
 * arrived.
 */
export function exchangeAreas(plan: ExchangePlan, lists: readonly (readonly Area[])[]): void {
  const { exchange, memories, firstPart, thread, threads, barrier } = plan
  const bytes = memories.map(({ buffer }) => new Uint8Array(buffer))
  let job = 0
  /** Copies an area between two partitions of this process; each such job goes to one of the threads. */
  const copy = ({ address, byteLength }: Area, from: number, to: number): void => {
    if (from !== to && byteLength > 0 && job++ % threads === thread)
      bytes[to].set(bytes[from].subarray(address, address + byteLength), address)
  }
  const isInThisProcess = (part: number): boolean => part >= firstPart && part < firstPart + memories.length
  barrier()
  // The areas of this process's partitions are collected in its first one, exchanged with the other
  // processes, and copied back.
  for (const areas of lists)
    areas.forEach((area, part) => {
      if (isInThisProcess(part)) copy(area, part - firstPart, 0)
    })
  if (exchange.size > 1) {
    barrier()
    if (thread === 0) for (const areas of lists) gatherAreas(exchange, memories[0], areas, memories.length)
  }
  if (memories.length > 1) {
    barrier()
    for (const areas of lists)
      areas.forEach((area, part) => {
        for (let to = 1; to < memories.length; to++) if (part !== firstPart + to) copy(area, 0, to)
      })
  }
  barrier()
}

/**
 * All-gathers a list of areas from and into one memory of each process. The areas of a process's partitions
 * are ascending, and the bytes between them are equal in all processes.
 * @param partsEach partitions per process
 */
function gatherAreas(
  exchange: Exchange,
  memory: WebAssembly.Memory,
  areas: readonly Area[],
  partsEach: number,
): void {
  const starts: number[] = []
  const lengths: number[] = []
  for (let process = 0; process < exchange.size; process++) {
    const ofProcess = areas
      .slice(process * partsEach, (process + 1) * partsEach)
      .filter(({ byteLength }) => byteLength > 0)
    const first = ofProcess[0]?.address ?? 0
    const last = ofProcess[ofProcess.length - 1]
    starts.push(first / 4)
    lengths.push(last ? (last.address + last.byteLength - first) / 4 : 0)
  }
  exchange.allGather(new Uint32Array(memory.buffer), starts, lengths)
}
