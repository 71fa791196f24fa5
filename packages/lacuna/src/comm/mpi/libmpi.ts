/**
 * An MPI library through koffi: Open MPI or MPICH and those with its binary interface (Intel MPI, MVAPICH). The two differ in
 * what a handle is: the address of a variable in the one, a number in the other. Arrays, over shared memory too, pass
 * without being copied.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'

/** What Lacuna needs of MPI; every call is on the communicator of all processes. */
export interface Communicator {
  readonly rank: number
  readonly size: number
  /** As the library calls itself. */
  readonly version: string
  /** Everyone's words: from places[k] on, counts[k] of them come from process k, where they stand already. */
  allgatherv(words: Uint32Array, counts: Int32Array, places: Int32Array): void
  /** Sums of whole numbers. */
  allreduce(counts: Uint32Array): void
  /** From the first process to all. */
  broadcast(numbers: Float64Array): void
  /** One number to and from every process. */
  alltoall(outgoing: Int32Array, incoming: Int32Array): void
  alltoallv(
    outgoing: Uint32Array,
    outCounts: Int32Array,
    outPlaces: Int32Array,
    incoming: Uint32Array,
    inCounts: Int32Array,
    inPlaces: Int32Array,
  ): void
  /** Ends the whole job at once. */
  abort(code: number): void
  finalize(): void
}

/** Names under which the libraries are installed, those of the launcher that started us first. */
function candidates(): string[] {
  const openMpi = ['libmpi.so.40'] // of Open MPI 4 and 5 alike
  const mpich = ['libmpich.so.12', 'libmpi.so.12']
  const anyName = ['libmpi.so', 'libmpi.dylib', 'msmpi.dll']
  return isStartedByOpenMpi() ? [...openMpi, ...anyName, ...mpich] : [...mpich, ...openMpi, ...anyName]
}

/** By its own mpirun; or by another that speaks PMIx (srun), as hardly any library but Open MPI does by default. */
const isStartedByOpenMpi = (): boolean =>
  process.env.OMPI_COMM_WORLD_SIZE !== undefined || process.env.PMIX_RANK !== undefined

/** MPI_THREAD_FUNNELED: only the thread that begins it calls MPI. */
const FUNNELED = 1
/** MPI_COMM_WORLD in MPICH and those like it. */
const MPICH_WORLD = 0x44000000
/** Version strings are at most this long in both. */
const VERSION_BYTES = 8192

export async function openCommunicator(library?: string): Promise<Communicator> {
  const { koffi, lib, version, isOpenMpi } = await openLibrary(library)
  const address = (name: string): unknown => koffi.address(lib.symbol(name, 'char'))
  const handles = isOpenMpi
    ? {
        type: 'uintptr_t',
        world: address('ompi_mpi_comm_world'),
        word: address('ompi_mpi_unsigned'),
        double: address('ompi_mpi_double'),
        int: address('ompi_mpi_int'),
        sum: address('ompi_mpi_op_sum'),
        inPlace: 1n,
      }
    : {
        type: 'int',
        world: MPICH_WORLD,
        word: 0x4c000406,
        double: 0x4c00080b,
        int: 0x4c000405,
        sum: 0x58000003,
        inPlace: -1n,
      }
  const { type, world, word, double, int, sum, inPlace } = handles
  const call = (name: string, parameters: string): ((...args: unknown[]) => void) => {
    const func = lib.func(`int ${name}(${parameters.replaceAll('HANDLE', type)})`)
    return (...args) => {
      const code = func(...args)
      if (code !== 0) throw new Error(`${name} of ${version} failed with code ${code}.`)
    }
  }
  const provided = Int32Array.of(-1)
  call('MPI_Init_thread', 'void *argc, void *argv, int required, int *provided')(
    null,
    null,
    FUNNELED,
    provided,
  )
  const number = (name: string): number => {
    const found = Int32Array.of(0)
    call(name, 'HANDLE comm, int *found')(world, found)
    return found[0]
  }
  const allgatherv = call(
    'MPI_Allgatherv',
    'uintptr_t send, int count, HANDLE type, void *receive, int *counts, int *places, HANDLE type2, HANDLE comm',
  )
  const allreduce = call(
    'MPI_Allreduce',
    'uintptr_t send, void *receive, int count, HANDLE type, HANDLE op, HANDLE comm',
  )
  const broadcast = call('MPI_Bcast', 'void *numbers, int count, HANDLE type, int root, HANDLE comm')
  const alltoall = call(
    'MPI_Alltoall',
    'void *send, int count, HANDLE type, void *receive, int count2, HANDLE type2, HANDLE comm',
  )
  const alltoallv = call(
    'MPI_Alltoallv',
    'void *send, int *counts, int *places, HANDLE type, void *receive, int *counts2, int *places2, HANDLE type2, HANDLE comm',
  )
  const abort = call('MPI_Abort', 'HANDLE comm, int code')
  const finalize = call('MPI_Finalize', '')
  return {
    rank: number('MPI_Comm_rank'),
    size: number('MPI_Comm_size'),
    version,
    allgatherv: (words, counts, places) => allgatherv(inPlace, 0, word, words, counts, places, word, world),
    allreduce: (counts) => allreduce(inPlace, counts, counts.length, word, sum, world),
    broadcast: (numbers) => broadcast(numbers, numbers.length, double, 0, world),
    alltoall: (outgoing, incoming) => alltoall(outgoing, 1, int, incoming, 1, int, world),
    alltoallv: (outgoing, outCounts, outPlaces, incoming, inCounts, inPlaces) =>
      alltoallv(outgoing, outCounts, outPlaces, word, incoming, inCounts, inPlaces, word, world),
    abort: (code) => abort(world, code),
    finalize: () => finalize(),
  }
}

/** Ends the job: by MPI_Abort, and this process without waiting for its threads, which may wait for other processes. */
export async function endAll(code: number, library?: string): Promise<void> {
  const { koffi, lib, isOpenMpi } = await openLibrary(library)
  const isBegun = Int32Array.of(0)
  lib.func('int MPI_Initialized(int *flag)')(isBegun)
  if (isBegun[0] !== 0) {
    if (isOpenMpi)
      lib.func('int MPI_Abort(uintptr_t comm, int code)')(
        koffi.address(lib.symbol('ompi_mpi_comm_world', 'char')),
        code,
      )
    else lib.func('int MPI_Abort(int comm, int code)')(MPICH_WORLD, code)
  }
  lib.func('void _exit(int code)')(code)
}

type Koffi = typeof import('koffi').default

interface Library {
  koffi: Koffi
  lib: ReturnType<Koffi['load']>
  version: string
  isOpenMpi: boolean
}

/** Loads the library, or says in a sentence why not; nothing is begun. */
export async function openLibrary(library?: string): Promise<Library> {
  const { default: koffi } = await import('koffi').catch((cause) => {
    throw new InputError(
      'unavailable',
      'Running on several processes needs the package koffi; install it with npm install koffi.',
      { cause },
    )
  })
  const lib = loadLibrary(koffi, library)
  const text = Buffer.alloc(VERSION_BYTES)
  const length = Int32Array.of(0)
  lib.func('int MPI_Get_library_version(void *version, int *length)')(text, length)
  const version = text.toString('latin1', 0, length[0]).split('\n')[0].replace(/\s+/g, ' ').trim()
  return { koffi, lib, version, isOpenMpi: version.startsWith('Open MPI') }
}

function loadLibrary(koffi: Koffi, library: string | undefined): ReturnType<Koffi['load']> {
  if (library !== undefined) {
    try {
      const lib = koffi.load(library)
      lib.func('int MPI_Get_library_version(void *version, int *length)')
      return lib
    } catch (cause) {
      throw new InputError(
        'unavailable',
        sentence`${library}: this is no MPI library that can be loaded; name the MPI library with ${option('mpiLibrary')}.`,
        { cause },
      )
    }
  }
  for (const name of candidates()) {
    try {
      return koffi.load(name)
    } catch {
      // The next one, then.
    }
  }
  throw new InputError(
    'unavailable',
    sentence`No MPI library was found; install Open MPI or MPICH (Debian: openmpi-bin or mpich), or name one with ${option('mpiLibrary')}.`,
  )
}
