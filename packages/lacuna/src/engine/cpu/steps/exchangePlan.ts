import type { Exchange } from '../../../comm/index.ts'

/** Bytes that a part owns, at the same address in every part. */
export interface Area {
  address: number
  byteLength: number
}

/** What a thread must know to bring parts up to date. */
export interface ExchangePlan {
  exchange: Exchange
  /** Of this process's parts. */
  memories: readonly WebAssembly.Memory[]
  /** The number of its first part; every process has as many. */
  firstPart: number
  thread: number
  threads: number
  /** Waits until all threads of this process are here. */
  meet(): void
}

/**
 * Brings every part up to date: area k of a list is part k's, and is copied to all others. All threads of all processes
 * call this together, with the same lists; none returns before everything has arrived.
 */
export function exchangeAreas(plan: ExchangePlan, lists: readonly (readonly Area[])[]): void {
  const { exchange, memories, firstPart, thread, threads, meet } = plan
  const bytes = memories.map(({ buffer }) => new Uint8Array(buffer))
  let job = 0
  const copy = ({ address, byteLength }: Area, from: number, to: number): void => {
    if (from !== to && byteLength > 0 && job++ % threads === thread)
      bytes[to].set(bytes[from].subarray(address, address + byteLength), address)
  }
  const isOwn = (part: number): boolean => part >= firstPart && part < firstPart + memories.length
  meet()
  // What the parts here have goes into the first of them, from there to the other processes, and back to the parts here.
  for (const areas of lists)
    areas.forEach((area, part) => {
      if (isOwn(part)) copy(area, part - firstPart, 0)
    })
  if (exchange.size > 1) {
    meet()
    if (thread === 0) for (const areas of lists) gatherAreas(exchange, memories[0], areas, memories.length)
  }
  if (memories.length > 1) {
    meet()
    for (const areas of lists)
      areas.forEach((area, part) => {
        for (let to = 1; to < memories.length; to++) if (part !== firstPart + to) copy(area, 0, to)
      })
  }
  meet()
}

/** The areas of a process's parts lie in order: between them is nothing that differs. */
function gatherAreas(
  exchange: Exchange,
  memory: WebAssembly.Memory,
  areas: readonly Area[],
  partsEach: number,
): void {
  const starts: number[] = []
  const lengths: number[] = []
  for (let process = 0; process < exchange.size; process++) {
    const own = areas
      .slice(process * partsEach, (process + 1) * partsEach)
      .filter(({ byteLength }) => byteLength > 0)
    const first = own[0]?.address ?? 0
    const last = own[own.length - 1]
    starts.push(first / 4)
    lengths.push(last ? (last.address + last.byteLength - first) / 4 : 0)
  }
  exchange.allGather(new Uint32Array(memory.buffer), starts, lengths)
}
