/** Types of the catalogue of public data sets, and facts that follow from an entry. */

/** An entry of the catalogue: what the set is, what to download, and how `lacuna complete` reads it. */
export interface Dataset {
  /** Name after `lacuna data fetch`, and of the folder in the cache. */
  readonly name: string
  readonly title: string
  /**
   * I_1 … I_N of the tensor that `options` makes of the files; left out where the source does not state it.
   */
  readonly dims?: readonly number[]
  readonly entries: number
  /** Names of the modes, as in user × movie × week. */
  readonly modes: string
  /** Licence in a few words; the set's own files are authoritative. */
  readonly terms: string
  /** The page that describes the set. */
  readonly page: string
  readonly downloads: readonly Download[]
  /** Files that `lacuna complete` reads, in this order: downloaded, unpacked or made by `preparation`. */
  readonly files: readonly string[]
  /** Options of `lacuna complete` for these files. */
  readonly options: string
  /** Manual step before `lacuna complete`, in the set's folder. */
  readonly preparation?: string
}

/** A file to download. */
export interface Download {
  readonly url: string
  /** Size in bytes, as the server sends it. */
  readonly byteLength?: number
  readonly checksum?: Checksum
  /**
   * Members of a zip to unpack: file names by paths in the zip. Without it the download itself is the file.
   */
  readonly unpack?: Readonly<Record<string, string>>
}

/** Digest of a whole file. */
export interface Checksum {
  readonly algorithm: 'md5' | 'sha256'
  /** Hexadecimal digits, lower case. */
  readonly digest: string
}

/**
 * Largest number of bytes per entry that a file may have; as text an entry takes about 20 bytes, packed less.
 */
const MAX_BYTES_PER_ENTRY = 64

/**
 * Largest number of bytes accepted for a download: its size where that is known, else 1 MiB and
 * MAX_BYTES_PER_ENTRY for each entry of the set.
 */
export const maxBytes = ({ entries }: Dataset, { byteLength }: Download): number =>
  byteLength ?? 2 ** 20 + MAX_BYTES_PER_ENTRY * entries

/** Whether the catalogue has the digest of every download of a set. */
export const isVerified = ({ downloads }: Dataset): boolean =>
  downloads.every(({ checksum }) => checksum !== undefined)

/** Returns the last segment of the path of a URL, as in ml-10m.zip. */
export function fileNameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').pop() ?? '')
}

/** Returns the bytes of all downloads of a set; undefined if the size of one is unknown. */
export function downloadSize({ downloads }: Dataset): number | undefined {
  let sum = 0
  for (const { byteLength } of downloads) {
    if (byteLength === undefined) return
    sum += byteLength
  }
  return sum
}
