/**
 * Compares a file as the processes of a job see it: each host may have a copy of its own, and a copy that
 * differs would be mixed into what the others read.
 */
import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import { InputError } from '../../../base/inputError.ts'
import type { Communicator } from '../../../comm/index.ts'
import { explainFileError } from '../../node/index.ts'

/** Bytes of a block, the unit that one process hashes. */
const BLOCK_BYTES = 2 ** 24
/** Bytes that are read at a time. */
const PIECE_BYTES = 2 ** 20
/** Words of a SHA-256 digest. */
const DIGEST_WORDS = 8

/** A process's copy of a file: its size, and what distinguishes copies without reading them. */
interface Copy {
  /**
   * Inode number, size and times: equal only for one file, also on a network file system, since no program
   * can choose the time of the last change of an inode.
   */
  identity: string
  size: number
}

/**
 * Throws in all processes if one of them sees other bytes under a path than the root; does nothing if a
 * process cannot open the file, or if it is a pipe. Collective. A file that all processes share is not read.
 * Otherwise each copy is hashed as a whole, its blocks divided among the processes that see it.
 */
export async function compareFiles(comm: Communicator, paths: readonly string[]): Promise<void> {
  if (comm.size > 1) for (const path of paths) await compareFile(comm, path)
}

/** Compares one file, as compareFiles does. */
async function compareFile(comm: Communicator, path: string): Promise<void> {
  const own = await findCopy(path)
  const copies = (await comm.allGatherTexts(JSON.stringify(own ?? null))).map(
    (text) => JSON.parse(text) as Copy | null,
  )
  const [ofRoot] = copies
  if (!own || !ofRoot) return
  const present = copies.filter((copy) => copy !== null)
  if (present.length < comm.size || present.every(({ identity }) => identity === ofRoot.identity)) return
  const other = present.findIndex(({ size }) => size !== ofRoot.size)
  if (other > 0) throw otherData(comm, path, other, ` (${present[other].size} bytes and not ${ofRoot.size})`)
  const digests = await digestCopies(comm, path, present)
  const different = digests.findIndex((digest) => digest !== digests[0])
  if (different > 0) throw otherData(comm, path, different)
}

/** Error of a process that sees other data than the root. @param rank its rank @param details in parentheses */
const otherData = ({ size }: Communicator, path: string, rank: number, details = ''): InputError =>
  new InputError(
    'file',
    `Process ${rank + 1} of ${size} reads other data in ${path} than process 1${details}: copy the same file to all machines.`,
  )

/** Returns the copy of a file that this process sees; undefined if there is none, or no regular file. */
async function findCopy(path: string): Promise<Copy | undefined> {
  const status = await stat(path, { bigint: true }).catch(() => undefined)
  if (!status?.isFile()) return undefined
  const { ino, size, mtimeNs, ctimeNs } = status
  return { identity: [ino, size, mtimeNs, ctimeNs].join(), size: Number(size) }
}

/**
 * Returns a digest of the copy that each process sees, by rank. Processes that see the same copy divide its
 * blocks. Collective.
 */
async function digestCopies(comm: Communicator, path: string, copies: readonly Copy[]): Promise<string[]> {
  const holders = copies.map(({ identity }) =>
    [...copies.keys()].filter((k) => copies[k].identity === identity),
  )
  const blocks = Math.ceil(copies[0].size / BLOCK_BYTES)
  const readers = holders[comm.rank]
  const own = await comm.failTogether(() =>
    digestBlocks(path, readers.indexOf(comm.rank), readers.length, blocks),
  )
  const all = await comm.allGather(own)
  return holders.map((ranks) =>
    Array.from({ length: blocks }, (_, block) => {
      const start = DIGEST_WORDS * Math.floor(block / ranks.length)
      return all[ranks[block % ranks.length]].subarray(start, start + DIGEST_WORDS).join()
    }).join(';'),
  )
}

/** Returns the SHA-256 digests of the blocks first, first + step, … of a file, one after another. */
async function digestBlocks(path: string, first: number, step: number, blocks: number): Promise<Uint32Array> {
  const digests: Buffer[] = []
  const file = await open(path).catch((error) => {
    throw explainFileError(error, path, 'read')
  })
  try {
    const piece = Buffer.alloc(PIECE_BYTES)
    for (let block = first; block < blocks; block += step) {
      const hash = createHash('sha256')
      const end = (block + 1) * BLOCK_BYTES
      for (let at = block * BLOCK_BYTES; at < end; ) {
        const { bytesRead } = await file.read(piece, 0, Math.min(PIECE_BYTES, end - at), at)
        if (bytesRead === 0) break
        hash.update(piece.subarray(0, bytesRead))
        at += bytesRead
      }
      digests.push(hash.digest())
    }
  } finally {
    await file.close()
  }
  return new Uint32Array(new Uint8Array(Buffer.concat(digests)).buffer)
}
