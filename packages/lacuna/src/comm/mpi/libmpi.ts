/**
 * Bindings to an MPI library through koffi: Open MPI, or MPICH and libraries with its binary interface (Intel
 * MPI, MVAPICH). A handle is the address of a variable in Open MPI and a number in MPICH. Arrays, also over
 * shared memory, are passed without a copy.
 */
import { InputError, option, sentence } from '../../base/inputError.ts'

/** The MPI functions that Lacuna calls, each on MPI_COMM_WORLD and in place where MPI allows it. */
export interface MpiCommunicator {
  readonly rank: number
  readonly size: number
  /** The name and version of the library, as it reports them. */
  readonly version: string
  /** MPI_Allgatherv in place: the counts[k] words from offsets[k] on are those of process k. */
  allgatherv(words: Uint32Array, counts: Int32Array, offsets: Int32Array): void
  /** MPI_Allreduce in place: sums of whole numbers, modulo 2³². */
  allreduce(counts: Uint32Array): void
  /** MPI_Bcast from rank 0. */
  broadcast(numbers: Float64Array): void
  /** MPI_Alltoall: one number to and from every process. */
  alltoall(outgoing: Int32Array, incoming: Int32Array): void
  /** MPI_Alltoallv: counts and offsets in words, by rank. */
  alltoallv(
    outgoing: Uint32Array,
    outCounts: Int32Array,
    outOffsets: Int32Array,
    incoming: Uint32Array,
    inCounts: Int32Array,
    inOffsets: Int32Array,
  ): void
  /** MPI_Finalize: ends the connection. */
  finalize(): void
}

/** Returns file names under which MPI libraries are installed; those that fit the launcher come first. */
function libraryFileNames(): string[] {
  const openMpi = ['libmpi.so.40'] // of Open MPI 4 and 5 alike
  const mpich = ['libmpich.so.12', 'libmpi.so.12']
  const anyName = ['libmpi.so', 'libmpi.dylib', 'msmpi.dll']
  return isStartedByOpenMpi() ? [...openMpi, ...anyName, ...mpich] : [...mpich, ...openMpi, ...anyName]
}

/**
 * True under Open MPI's mpirun, and under a launcher with PMIx (srun), which few other libraries use by
 * default.
 */
const isStartedByOpenMpi = (): boolean =>
  process.env.OMPI_COMM_WORLD_SIZE !== undefined || process.env.PMIX_RANK !== undefined

/** MPI_THREAD_FUNNELED: only the thread that called MPI_Init_thread calls MPI. */
const FUNNELED = 1
/** MPI_COMM_WORLD in MPICH and libraries with its binary interface. */
const MPICH_WORLD = 0x44000000
/** The longest version string, in bytes (MPI_MAX_LIBRARY_VERSION_STRING of both families). */
const VERSION_BYTES = 8192

/**
 * Loads an MPI library and calls MPI_Init_thread; all further calls must come from the same thread.
 * @param library its file; by default one that is installed
 */
export async function openCommunicator(library?: string): Promise<MpiCommunicator> {
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
  /**
   * Binds an MPI function to one that throws on a failure code; HANDLE in `parameters` is the type of
   * handles.
   */
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
  /** Calls an MPI function that writes one number about the communicator. */
  const number = (name: string): number => {
    const found = Int32Array.of(0)
    call(name, 'HANDLE comm, int *found')(world, found)
    return found[0]
  }
  const allgatherv = call(
    'MPI_Allgatherv',
    'uintptr_t send, int count, HANDLE type, void *receive, int *counts, int *offsets, HANDLE type2, HANDLE comm',
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
    'void *send, int *counts, int *offsets, HANDLE type, void *receive, int *counts2, int *offsets2, HANDLE type2, HANDLE comm',
  )
  const finalize = call('MPI_Finalize', '')
  return {
    rank: number('MPI_Comm_rank'),
    size: number('MPI_Comm_size'),
    version,
    allgatherv: (words, counts, offsets) => allgatherv(inPlace, 0, word, words, counts, offsets, word, world),
    allreduce: (counts) => allreduce(inPlace, counts, counts.length, word, sum, world),
    broadcast: (numbers) => broadcast(numbers, numbers.length, double, 0, world),
    alltoall: (outgoing, incoming) => alltoall(outgoing, 1, int, incoming, 1, int, world),
    alltoallv: (outgoing, outCounts, outOffsets, incoming, inCounts, inOffsets) =>
      alltoallv(outgoing, outCounts, outOffsets, word, incoming, inCounts, inOffsets, word, world),
    finalize: () => finalize(),
  }
}

/**
 * Ends all processes of the job by MPI_Abort if MPI is initialized, and in any case this process by _exit
 * (process.exit could hang, since threads may be waiting for other processes). Does not return; throws an
 * InputError if no MPI library can be loaded.
 * @param code the exit code
 * @param library the file of the MPI library; by default the first installed one that is found
 */
export async function abortAll(code: number, library?: string): Promise<void> {
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

/** A loaded MPI library, and koffi, by which it was loaded. */
interface Library {
  koffi: Koffi
  lib: ReturnType<Koffi['load']>
  version: string
  isOpenMpi: boolean
}

/** Loads an MPI library without initializing it; throws an InputError where there is none. */
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

/**
 * Loads the given MPI library, or the first installed one that is found; throws an InputError if there is
 * none.
 */
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
  for (const name of libraryFileNames()) {
    try {
      return koffi.load(name)
    } catch {
      // Try the next name.
    }
  }
  throw new InputError(
    'unavailable',
    sentence`No MPI library was found; install Open MPI or MPICH (Debian: openmpi-bin or mpich), or name one with ${option('mpiLibrary')}.`,
  )
}
