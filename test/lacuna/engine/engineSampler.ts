/**
 * The engine's sampling for the references: windows of a row's entries in the order of their hashes
 * (kernels/solve/entries/sample.ts).
 */

import { below, draw, hashIndex, mix, purpose, stream } from '#lacuna/base/random.js'
import { orderKeys, positionOf } from '#lacuna/engine/cpu/setup/place/order.js'
import { leastWindow, segmentSize, segmentsOfRow } from '#lacuna/engine/cpu/setup/place/segments.js'
import { paddedRank } from '#lacuna/engine/cpu/threads/kernel.js'
import type { FastSettings } from '#lacuna/reference/fast.js'
import type { NtcSettings } from '#lacuna/reference/ntc.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

/** Sampling functions for the references: each returns positions among the row's entries in the tensor. */
export interface EngineSampler {
  paper: NonNullable<NtcSettings['sample']>
  fast: NonNullable<FastSettings['sample']>
}

/** Returns the samples that an engine draws from a tensor, for the references. */
export function engineSampler(tensor: SparseTensor, seed: number, rank: number): EngineSampler {
  const segment = segmentSize(tensor.values.length, paddedRank(rank))
  const rows = tensor.dims.map((_, mode) => rowsInOrder(tensor, mode, seed, segment))
  const key = (k: number, i: number, l: number): number => stream(seed, purpose.sample, k, i, l)
  return {
    paper: (_, B, { k, i, p, l }) => windowsOf(rows[i][p], B, Infinity, key(k, i, l), p),
    fast(nnz, c, { k, i, p }) {
      const B = roundedSampleSize(nnz, c, key(k, i, 0), p)
      const windows = Math.max(1, Math.floor(Math.floor(c * nnz) / leastWindow(segment)))
      return windowsOf(rows[i][p], B, windows, key(k, i, 0), p)
    },
  }
}

/** B, the size of a rounded sample of row p: ⌊c · nnz + u⌋, u random in [0, 1); c · nnz on average. */
export function roundedSampleSize(nnz: number, c: number, key: number, p: number): number {
  return Math.min(nnz, Math.floor(c * nnz + draw((key + 0x51ed270b) >>> 0, p) / 2 ** 32))
}

/** A row's segments, each as the positions of its entries among the row's entries in the tensor. */
type Row = number[][]

/** Per row of a mode, its segments, entries in the order of their hashes. */
function rowsInOrder({ dims, indices }: SparseTensor, mode: number, seed: number, segment: number): Row[] {
  const keys = orderKeys(seed, dims.length)
  const entries: { at: number; position: number; e: number }[][] = Array.from(
    { length: dims[mode] },
    () => [],
  )
  indices[mode].forEach((p, e) => {
    const hash = indices.reduce((hash, column) => hashIndex(hash, column[e]), keys.hash)
    entries[p].push({ at: entries[p].length, position: positionOf(mix(hash), keys.modes[mode]), e })
  })
  return entries.map((row) => {
    const segments = segmentsOfRow(row.length, segment)
    // Equal positions are too rare for these tests to see.
    row.sort((a, b) => a.position - b.position)
    const cut: Row = Array.from({ length: segments }, () => [])
    for (const { at, position } of row) cut[below(position, segments)].push(at)
    return cut
  })
}

/**
 * The sample of a row: at most `most` windows, each in a segment of its own, with B entries in all.
 * @param key the random stream of (iteration, mode, inner iteration)
 * @param p the row
 */
function windowsOf(row: Row, B: number, most: number, key: number, p: number): number[] {
  if (B === 0) return []
  if (row.length === 1) return windowOf(row[0], B, key, p)
  const nnz = row.reduce((sum, { length }) => sum + length, 0)
  const draws = draw((key + 0x2545f491) >>> 0, p)
  const windows = Math.min(row.length, most)
  const offset = below(draw(draws, 0xffffffff), windows < row.length ? row.length : nnz)
  if (windows === row.length) {
    let before = 0
    return row.flatMap((positions, index) => {
      const end = before + positions.length
      const size = Math.floor((B * end + offset) / nnz) - Math.floor((B * before + offset) / nnz)
      before = end
      return windowOf(positions, size, draws, index)
    })
  }
  return Array.from({ length: windows }, (_, j) => {
    const index = Math.floor((j * row.length + offset) / windows)
    const size = Math.floor((B * (j + 1)) / windows) - Math.floor((B * j) / windows)
    return windowOf(row[index], Math.min(size, row[index].length), draws, index)
  }).flat()
}

/** B consecutive positions from a random start, cyclic; all of them from the first if B is their number. */
function windowOf(positions: readonly number[], B: number, draws: number, counter: number): number[] {
  const start = B < positions.length ? below(draw(draws, counter), positions.length) : 0
  return Array.from({ length: B }, (_, j) => positions[(start + j) % positions.length])
}
