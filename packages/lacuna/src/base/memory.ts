/**
 * The memory that is available. On Linux it is limited by what the system has without swapping, and by the
 * control groups of this process. Pages that only cache files count as available. In a browser the amount is
 * unknown.
 */
const node = globalThis.process?.versions?.node
  ? { fs: process.getBuiltinModule('node:fs'), os: process.getBuiltinModule('node:os') }
  : undefined

/** Returns the bytes that can still be allocated, or Infinity where that is unknown. */
export function availableMemory(): number {
  if (!node) return Infinity
  const system = readField('/proc/meminfo', /^MemAvailable: +(\d+) kB/m)
  const free = system === undefined ? node.os.freemem() : 1024 * system
  return Math.max(0, Math.min(free, addressSpaceLeft(), ...bytesLeftInCgroups()))
}

/**
 * Returns the bytes left in each control group of this process that has a limit, of versions 1 and 2, and in
 * the groups above them, whose limits hold, too.
 * @param root where control groups are mounted
 */
function bytesLeftInCgroups(root = '/sys/fs/cgroup'): number[] {
  const left: number[] = []
  for (const line of (readText('/proc/self/cgroup') ?? '').split('\n')) {
    const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    if (path === undefined || (controllers !== '' && !controllers.split(',').includes('memory'))) continue
    const mount = controllers === '' ? root : `${root}/memory`
    // In a container the path may be that of the host, while the control group itself is mounted as the root.
    for (let group = path; ; group = group.slice(0, group.lastIndexOf('/'))) {
      const room =
        controllers === '' ? bytesLeftInCgroup2(`${mount}${group}`) : bytesLeftInCgroup1(`${mount}${group}`)
      if (room !== undefined) left.push(room)
      if (group === '' || group === '/') break
    }
  }
  return left
}

/**
 * Returns the bytes left in a control group of version 2, or undefined without a limit.
 * @param folder its files
 */
export function bytesLeftInCgroup2(folder: string): number | undefined {
  const limit = readField(`${folder}/memory.max`, /^(\d+)/)
  const used = readField(`${folder}/memory.current`, /^(\d+)/)
  if (limit === undefined || used === undefined) return undefined
  return limit - (used - cachedBytes(`${folder}/memory.stat`, 'file'))
}

/**
 * Returns the bytes left in a control group of version 1, or undefined without a limit.
 * @param folder its files
 */
export function bytesLeftInCgroup1(folder: string): number | undefined {
  const limit = readField(`${folder}/memory.limit_in_bytes`, /^(\d+)/)
  const used = readField(`${folder}/memory.usage_in_bytes`, /^(\d+)/)
  // A limit file without a limit contains the largest number of the system.
  if (limit === undefined || used === undefined || limit > 2 ** 60) return undefined
  return limit - (used - cachedBytes(`${folder}/memory.stat`, 'total_cache'))
}

/**
 * Returns the bytes that cache files in a control group, less shared memory, which the system counts among
 * them and cannot release.
 * @param path the group's memory.stat
 * @param field its field of cached bytes
 */
function cachedBytes(path: string, field: string): number {
  const files = readField(path, new RegExp(`^${field} (\\d+)`, 'm')) ?? 0
  const shared = readField(path, /^(?:total_)?shmem (\d+)/m) ?? 0
  return Math.max(0, files - shared)
}

/** Returns the bytes of address space left under `ulimit -v`; Infinity without a limit. */
function addressSpaceLeft(): number {
  const limit = readField('/proc/self/limits', /^Max address space +(\d+)/m)
  if (limit === undefined) return Infinity
  return limit - 1024 * (readField('/proc/self/status', /^VmSize:\s+(\d+) kB/m) ?? 0)
}

/**
 * Returns the number that the first group of a pattern finds in a file; undefined if the file or number is
 * missing.
 */
function readField(path: string, field: RegExp): number | undefined {
  const found = field.exec(readText(path) ?? '')?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Returns the text of a file, or undefined if it cannot be read. */
function readText(path: string): string | undefined {
  try {
    return node?.fs.readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Prints a number of bytes with a binary unit, as in 1.5 GiB. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']
  const unit = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const amount = bytes / 1024 ** unit
  return `${amount.toFixed(unit === 0 || amount >= 100 ? 0 : 1)} ${units[unit]}`
}
