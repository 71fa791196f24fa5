/** How rows and records are cut for a device: by plain arithmetic, without a device. */
import { expect, it } from 'vitest'
import { batchRows, sliceRecords } from '#lacuna/engine/gpu/steps/batches.js'
import type { ModeTable } from '#lacuna/engine/gpu/tables.js'

/** A mode whose rows have segments of these lengths. */
function tablesOf(rowSegments: readonly (readonly number[])[]): { mode: ModeTable; rows: Uint32Array } {
  const rows: number[] = []
  const segments: number[] = []
  const longRows: number[] = []
  let entries = 0
  rowSegments.forEach((lengths, row) => {
    rows.push(
      segments.length / 4,
      lengths.length,
      lengths.reduce((sum, n) => sum + n, 0),
      0,
    )
    if (lengths.length > 1) longRows.push(row)
    for (const length of lengths) {
      segments.push(entries, length, row, row)
      entries += length
    }
  })
  const mode = {
    ...{ segments: Uint32Array.from(segments), entries, words: 2, pieces: [], longRows },
    ...{ firstRow: 0, rows: rowSegments.length, firstSegment: 0, observed: rowSegments.length },
  }
  return { mode, rows: Uint32Array.from(rows) }
}

const lengths = [[10], [10], [10, 10], [5], [40, 40], [1], [1]]

it('a batch for a GPU ends before its entries are more than one dispatch may take, and has a row at least', () => {
  const { mode, rows } = tablesOf(lengths)
  const slices = sliceRecords(mode, 1e6)
  const batches = batchRows(mode, rows, slices, 100, 30)
  expect(batches.map(({ rows }) => rows)).toEqual([
    [0, 2],
    [2, 4],
    [4, 5],
    [5, 7],
  ])
  expect(batches.map(({ entries }) => entries)).toEqual([20, 25, 80, 2])
  expect(batches.map(({ segments }) => segments)).toEqual([
    [0, 2],
    [2, 5],
    [5, 7],
    [7, 9],
  ])
  expect(batches.map(({ long }) => long)).toEqual([
    [0, 0],
    [0, 1],
    [1, 2],
    [2, 2],
  ])
  // Exactly as many as are allowed still go together.
  expect(batchRows(mode, rows, slices, 100, 40)[0].rows).toEqual([0, 3])
})

it('a batch for a GPU ends before its segments are more than the buffer for sums holds', () => {
  const { mode, rows } = tablesOf(lengths)
  const batches = batchRows(mode, rows, sliceRecords(mode, 1e6), 3, 1e9)
  expect(batches.map(({ rows }) => rows)).toEqual([
    [0, 2],
    [2, 4],
    [4, 6],
    [6, 7],
  ])
})

it('slices for a GPU hold whole segments and no more bytes than a kernel may see, and batches know which they need', () => {
  const { mode, rows } = tablesOf(lengths)
  // Records of 2 words, 40 of them at a time.
  const slices = sliceRecords(mode, 4 * 2 * 40)
  expect(slices).toEqual([
    { segments: [0, 4], records: [0, 40] },
    { segments: [4, 5], records: [40, 45] },
    { segments: [5, 6], records: [45, 85] },
    { segments: [6, 7], records: [85, 125] },
    { segments: [7, 9], records: [125, 127] },
  ])
  const [first] = batchRows(mode, rows, slices, 100, 50)
  expect(first).toMatchObject({
    rows: [0, 4],
    pieces: [
      { slice: 0, segments: [0, 4] },
      { slice: 1, segments: [4, 5] },
    ],
  })
  expect(() => sliceRecords(mode, 4 * 2 * 39)).toThrow('40 entries that are sampled together')
})
