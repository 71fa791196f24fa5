/**
 * Keeps the rows of a table in memory when they are first read, so that another choice of columns does not read
 * the file again. A table above the limit is read from its file each time.
 */
import type { Batch, Cells, Texts, Wanted } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'

/** The most bytes of rows that are kept. */
const MOST_BYTES = 2 ** 29

/** A table whose rows are kept once they have been read. */
export interface KeptTable extends Table {
  /** Whether the rows are kept; undefined before they have been read. */
  isKept(): boolean | undefined
}

/** Rows that are kept: a batch of all columns, with cells of its own. */
type KeptBatch = Batch

/** Keeps the rows of a table. @param mostBytes of memory for them; 512 MiB by default */
export function keepTable(table: Table, mostBytes: number = MOST_BYTES): KeptTable {
  const all = table.columns.map((_, column) => ({ column }))
  let kept: KeptBatch[] | undefined
  let isTooLarge = false
  /** Mutex: resolves when the read that keeps the rows has ended, so that another one finds them in memory. */
  let keeping: Promise<void> | undefined

  /**
   * Reads the rows from the source and keeps them on the way. Where the reader stops early, because of an error
   * in a cell, the rest is read nevertheless.
   */
  async function* readAndKeep(wanted: readonly Wanted[]): AsyncGenerator<Batch> {
    const batches: KeptBatch[] = []
    let bytes = 0
    const source = table.read(all)[Symbol.asyncIterator]()
    let isDone = false
    let isBroken = false
    /** Reads and keeps the next batch; undefined at the end, or if there is too much to keep. */
    const next = async (): Promise<Batch | undefined> => {
      const { done, value } = await source.next().catch((error: unknown) => {
        isBroken = true
        throw error
      })
      if (done) {
        isDone = true
        kept = batches
        return undefined
      }
      batches.push(copyBatch(value))
      bytes += bytesOf(batches.at(-1)!)
      return value
    }
    let stoppedAt: number | undefined
    try {
      for (;;) {
        const batch = await next()
        if (!batch) break
        yield pick(batch, wanted)
        if (bytes > mostBytes) {
          isTooLarge = true
          stoppedAt = batches.reduce((rows, { rowCount }) => rows + rowCount, 0)
          break
        }
      }
    } finally {
      while (!isDone && !isBroken && !isTooLarge) {
        await next()
        if (bytes > mostBytes) isTooLarge = true
      }
      if (isTooLarge && stoppedAt === undefined) await source.return?.()
    }
    if (stoppedAt === undefined) return
    batches.length = 0
    for (;;) {
      const { done, value } = await source.next()
      if (done) return
      yield pick(value, wanted)
    }
  }

  return {
    ...table,
    isKept: () => (kept ? true : isTooLarge ? false : undefined),
    async *read(wanted) {
      while (keeping) await keeping
      if (kept) for (const batch of kept) yield pick(batch, wanted)
      else if (isTooLarge) yield* table.read(wanted)
      else {
        let release = (): void => {}
        keeping = new Promise((resolve) => {
          release = resolve
        })
        try {
          yield* readAndKeep(wanted)
        } finally {
          keeping = undefined
          release()
        }
      }
    },
  }
}

/** The wanted columns of a batch of all columns. */
const pick = (batch: Batch, wanted: readonly Wanted[]): Batch => ({
  ...batch,
  columns: wanted.map(({ column }) => batch.columns[column]),
})

/** A copy of a batch, which the source overwrites; columns of the same bytes share the copy. */
function copyBatch({ rowCount, columns, file, lines }: Batch): KeptBatch {
  const copies = new Map<Uint8Array, Uint8Array>()
  return {
    rowCount,
    file,
    lines: lines.slice(0, rowCount),
    columns: columns.map((cells): Cells => {
      if (cells instanceof Float64Array) return cells.slice(0, rowCount)
      const bytes = copies.get(cells.bytes) ?? cells.bytes.slice()
      copies.set(cells.bytes, bytes)
      return { bytes, starts: cells.starts.slice(0, rowCount), ends: cells.ends.slice(0, rowCount) }
    }),
  }
}

/** The bytes of a batch that is kept. */
function bytesOf({ columns, lines }: KeptBatch): number {
  const texts = columns.filter((cells): cells is Texts => !(cells instanceof Float64Array))
  const shared = new Set(texts.map(({ bytes }) => bytes))
  return (
    lines.byteLength +
    columns.reduce(
      (sum, cells) => sum + (cells instanceof Float64Array ? cells.byteLength : 2 * cells.starts.byteLength),
      0,
    ) +
    [...shared].reduce((sum, bytes) => sum + bytes.byteLength, 0)
  )
}
