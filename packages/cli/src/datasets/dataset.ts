/** What is known of a public data set, and what may be said of it without having it. */
export interface Dataset {
  /** As typed after `lacuna data fetch`, and the folder's name in the cache. */
  readonly name: string
  readonly title: string
  /** I_1 … I_N of the tensor that `command` reads; left out where the source does not say. */
  readonly dims?: readonly number[]
  readonly entries: number
  /** What the modes are, as in user × movie × week. */
  readonly modes: string
  /** The licence in a few words; the files that come along have the last one. */
  readonly terms: string
  /** The page that describes the set. */
  readonly page: string
  readonly downloads: readonly Download[]
  /**
   * What `lacuna complete` reads, in this order: files that were downloaded or unpacked, unless `preparation`
   * makes them.
   */
  readonly files: readonly string[]
  /** What to type behind `lacuna complete FILES…`. */
  readonly options: string
  /** What is left to do by hand before `lacuna complete`, in the set's folder. */
  readonly preparation?: string
}

export interface Download {
  readonly url: string
  /** As the server sends it. */
  readonly byteLength?: number
  readonly checksum?: Checksum
  /**
   * Members of a zip to unpack, by their path in it, and the file each becomes; else the download itself is
   * kept.
   */
  readonly unpack?: Readonly<Record<string, string>>
}

/** The digest of the whole file, or the address of a text that holds it. */
export type Checksum =
  | { readonly algorithm: 'md5' | 'sha256'; readonly digest: string }
  | { readonly algorithm: 'md5' | 'sha256'; readonly url: string }

/** Text of an entry takes about 20 bytes, and packs to less: more than this for each is not the data set. */
const MOST_BYTES_AN_ENTRY = 64

/** What one of its files can have at most: its size where that is known. */
export const maxBytes = ({ entries }: Dataset, { byteLength }: Download): number =>
  byteLength ?? 2 ** 20 + MOST_BYTES_AN_ENTRY * entries

/** Whether every file is held to a digest that is written down here. */
export const isVerified = ({ downloads }: Dataset): boolean =>
  downloads.every(({ checksum }) => checksum !== undefined && 'digest' in checksum)

/** The last part of the address: ml-10m.zip. */
export function fileNameOf(url: string): string {
  return decodeURIComponent(new URL(url).pathname.split('/').pop() ?? '')
}

/** Bytes to download, where all are known. */
export function downloadSize({ downloads }: Dataset): number | undefined {
  let sum = 0
  for (const { byteLength } of downloads) {
    if (byteLength === undefined) return
    sum += byteLength
  }
  return sum
}
