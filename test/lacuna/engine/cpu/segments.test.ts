import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  assignChunks,
  findSharedRows,
  leastWindow,
  makeChunks,
  segmentSize,
  segmentsOfRow,
  type ViewSlice,
  writeChunks,
  writeFirstSegments,
} from '#lacuna/engine/cpu/setup/place/segments.js'
import { CHUNK_BYTES } from '#lacuna/kernels/solve/layout.js'
import { checkProperty } from '../../../properties.ts'

/** Random row lengths, most of them short. */
const length = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 20 }) },
  fc.integer({ min: 0, max: 50_000 }),
)
const rows = fc.array(length, { minLength: 1, maxLength: 300 }).map((lengths) => Uint32Array.from(lengths))

/** Divides rows into segments of equal size (hashes make them nearly so), chunks and slices of partitions. */
function divideRows(lengths: Uint32Array, rank: number, parts: number) {
  const entries = lengths.reduce((sum, n) => sum + n, 0)
  const segment = segmentSize(entries, rank)
  const first = writeFirstSegments(lengths, segment, new Uint32Array(lengths.length + 1))
  const segmentLengths = Uint32Array.from(lengths, () => 0)
  const all = Array.from(lengths).flatMap((n, p) => {
    const count = first[p + 1] - first[p]
    segmentLengths[p] = count
    return Array.from(
      { length: count },
      (_, s) => Math.floor((n * (s + 1)) / count) - Math.floor((n * s) / count),
    )
  })
  const chunks = makeChunks(lengths, segment)
  return {
    entries,
    segment,
    first,
    chunks,
    slices: assignChunks(chunks, parts, first, Uint32Array.from(all)),
  }
}

/** The chunks of a slice in the format of the kernels, five words each. */
const chunkWords = ({ chunks, first }: ReturnType<typeof divideRows>, slice: ViewSlice): number[][] => {
  const words = new Uint32Array(((slice.endChunk - slice.firstChunk) * CHUNK_BYTES) / 4)
  writeChunks(chunks, slice, first, words)
  return Array.from({ length: slice.endChunk - slice.firstChunk }, (_, c) => [
    ...words.subarray(5 * c, 5 * c + 5),
  ])
}

it('Every row, and every segment of a long one, is in exactly one chunk of one partition, in order', () => {
  checkProperty(
    fc.property(rows, fc.constantFrom(4, 64, 256), fc.integer({ min: 1, max: 7 }), (lengths, rank, parts) => {
      const problem = divideRows(lengths, rank, parts)
      const { segment, first, slices, entries } = problem
      let next = 0 // segment
      let sum = 0
      for (const slice of slices) {
        expect(slice.firstSegment).toBe(next)
        let partial = 0
        for (const [row, endRow, own, index, slot] of chunkWords(problem, slice)) {
          expect(own).toBe(next - slice.firstSegment)
          expect(next).toBe(first[row] + index)
          if (endRow === 0) {
            expect(lengths[row]).toBeGreaterThan(segment)
            expect(slot).toBe(partial++)
            next++
          } else {
            for (let p = row; p < endRow; p++) expect(first[p + 1] - first[p]).toBe(1)
            next += endRow - row
          }
        }
        expect(partial).toBe(slice.longSegments)
        expect(next).toBe(slice.endSegment)
        sum += slice.entries
      }
      expect(next).toBe(first[lengths.length])
      expect(sum).toBe(entries)
    }),
    { seed: 3, numRuns: 300 },
  )
})

it('findSharedRows lists the rows with segments in several partitions, and which partition has which', () => {
  checkProperty(
    fc.property(rows, fc.constantFrom(4, 256), fc.integer({ min: 2, max: 9 }), (lengths, rank, parts) => {
      const { first, slices } = divideRows(lengths, rank, parts)
      const shared = findSharedRows(slices, first)
      const owners = new Map<number, Map<number, number>>() // row → part → segments
      slices.forEach((slice, k) => {
        for (let s = slice.firstSegment; s < slice.endSegment; s++) {
          const row = first.findLastIndex((start, p) => p < lengths.length && start <= s)
          const own = owners.get(row) ?? new Map<number, number>()
          owners.set(row, own.set(k, (own.get(k) ?? 0) + 1))
        }
      })
      const wanted = [...owners].filter(([, own]) => own.size > 1).map(([row]) => row)
      expect(shared.map(({ row }) => row)).toEqual(wanted)
      for (const { row, firstPart, bounds } of shared) {
        expect(bounds.at(-1)).toBe(first[row + 1] - first[row])
        for (let p = 0; p + 1 < bounds.length; p++)
          expect(bounds[p + 1] - bounds[p]).toBe(owners.get(row)?.get(firstPart + p) ?? 0)
      }
    }),
    { seed: 4, numRuns: 200 },
  )
})

it("Uber's hour mode, 24 rows of 138,000 entries, is divided evenly among threads and partitions", () => {
  const lengths = new Uint32Array(24).fill(137_895)
  for (const parts of [1, 2, 3, 5, 16]) {
    const problem = divideRows(lengths, 52, parts)
    const { segment, chunks, slices } = problem
    expect(chunks.count).toBeGreaterThan(200)
    expect(segment).toBeLessThanOrEqual(4096)
    const sizes = slices.map(({ entries }) => entries)
    expect(Math.max(...sizes) / Math.min(...sizes)).toBeLessThan(1.03)
  }
})

it('Segments are worth their sums, and every segment has room for the largest window', () => {
  for (const rank of [4, 64, 128, 256])
    for (const entries of [10, 1e4, 1e6, 1e8, 1e11]) {
      const segment = segmentSize(entries, rank)
      expect(segment).toBeGreaterThanOrEqual(128)
      expect(Math.ceil(entries / segment)).toBeLessThanOrEqual(2 ** 18)
      if (entries <= 1e8) expect(segment).toBeLessThanOrEqual(4096 * Math.max(1, rank / 64))
      // A window has at most twice as many, and a segment hardly ever less than half of its mean.
      expect(2 * leastWindow(segment)).toBeLessThan(segment / 4)
      expect(segmentsOfRow(segment, segment)).toBe(1)
      expect(segmentsOfRow(segment + 1, segment)).toBe(2)
      expect(segmentsOfRow(3 * segment, segment)).toBe(3)
    }
})

it('makeChunks counts a row for eight entries more than it has, so that chunks of short rows take as long as others', () => {
  for (const [rows, length, perChunk] of [
    [1000, 1, 10],
    [1000, 10, 5],
    [1000, 37, 2],
    [1000, 50, 1],
  ]) {
    const { words, count } = makeChunks(new Uint32Array(rows).fill(length), 90)
    expect(count).toBe(Math.ceil(rows / perChunk))
    expect([...words.subarray(0, 3)]).toEqual([0, perChunk, 0])
  }
})

it('leastWindow is a sixteenth of a segment', () => {
  expect([15, 16, 128, 4096].map(leastWindow)).toEqual([0, 1, 8, 256])
})

it('assignChunks gives partitions about equally many entries where chunks differ much in size', () => {
  // Chunks of one row of 60 entries, and of eleven rows of one entry.
  const lengths = Uint32Array.from({ length: 3000 }, (_, row) => (row < 300 ? 60 : 1))
  const chunks = makeChunks(lengths, 100)
  const first = writeFirstSegments(lengths, 100, new Uint32Array(3001))
  for (const parts of [2, 3, 7])
    for (const { entries } of assignChunks(chunks, parts, first, lengths))
      expect(Math.abs(entries - (300 * 60 + 2700) / parts)).toBeLessThanOrEqual(60)
})
