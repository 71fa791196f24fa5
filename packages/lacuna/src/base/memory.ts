/**
 * What memory there is to take. On Linux: what the system could give without swapping, and what the control groups that
 * this process is in leave it. Pages that only cache files are not counted as used: the system gives them up. In a browser
 * nobody knows.
 */
const node = globalThis.process?.versions?.node
  ? { fs: process.getBuiltinModule('node:fs'), os: process.getBuiltinModule('node:os') }
  : undefined

/** Bytes that can still be taken, where that is known; else Infinity. */
export function availableMemory(): number {
  if (!node) return Infinity
  const system = readField('/proc/meminfo', /^MemAvailable: +(\d+) kB/m)
  const free = system === undefined ? node.os.freemem() : 1024 * system
  return Math.max(0, Math.min(free, addressSpaceLeft(), ...groupsLeft()))
}

/** What each control group leaves, of versions 1 and 2: a limit on any group above holds, too. */
function groupsLeft(root = '/sys/fs/cgroup'): number[] {
  const left: number[] = []
  for (const line of (read('/proc/self/cgroup') ?? '').split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (path === undefined || (controllers !== '' && !controllers.split(',').includes('memory'))) continue
    const mount = controllers === '' ? root : `${root}/memory`
    // In a container the path may be that of the host, where the group itself is the root that is seen.
    for (let group = path; ; group = group.slice(0, group.lastIndexOf('/'))) {
      const room =
        controllers === '' ? roomInVersion2(`${mount}${group}`) : roomInVersion1(`${mount}${group}`)
      if (room !== undefined) left.push(room)
      if (group === '' || group === '/') break
    }
  }
  return left
}

export function roomInVersion2(folder: string): number | undefined {
  const limit = readField(`${folder}/memory.max`, /^(\d+)/)
  const used = readField(`${folder}/memory.current`, /^(\d+)/)
  if (limit === undefined || used === undefined) return undefined
  return limit - (used - cached(`${folder}/memory.stat`, 'file'))
}

export function roomInVersion1(folder: string): number | undefined {
  const limit = readField(`${folder}/memory.limit_in_bytes`, /^(\d+)/)
  const used = readField(`${folder}/memory.usage_in_bytes`, /^(\d+)/)
  // Without a limit there stands the largest number there is.
  if (limit === undefined || used === undefined || limit > 2 ** 60) return undefined
  return limit - (used - cached(`${folder}/memory.stat`, 'total_cache'))
}

/** Bytes of cached files; memory that is shared but no file is among them, and cannot be given up. */
function cached(path: string, field: string): number {
  const files = readField(path, new RegExp(`^${field} (\\d+)`, 'm')) ?? 0
  const shared = readField(path, /^(?:total_)?shmem (\d+)/m) ?? 0
  return Math.max(0, files - shared)
}

/** What `ulimit -v` leaves. */
function addressSpaceLeft(): number {
  const limit = readField('/proc/self/limits', /^Max address space +(\d+)/m)
  if (limit === undefined) return Infinity
  return limit - 1024 * (readField('/proc/self/status', /^VmSize:\s+(\d+) kB/m) ?? 0)
}

function readField(path: string, field: RegExp): number | undefined {
  const found = field.exec(read(path) ?? '')?.[1]
  return found === undefined ? undefined : Number(found)
}

function read(path: string): string | undefined {
  try {
    return node?.fs.readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const amount = bytes / 1024 ** unit
  return `${amount.toFixed(unit === 0 || amount >= 100 ? 0 : 1)} ${units[unit]}`
}
