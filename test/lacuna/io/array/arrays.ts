/** What the tests on arrays share: a folder, NumPy, a tensor and a model. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { encodeNpy, encodeNpz, type NpyArray, type NpzEntries } from '#lacuna/io/index.js'
import { CpModel } from '#lacuna/model/index.js'
import type { SparseTensor } from '#lacuna/tensor/index.js'

export const folder = mkdtempSync(join(tmpdir(), 'lacuna-arrays-'))
afterAll(() => rmSync(folder, { recursive: true }))
export const file = (name: string) => join(folder, name)
export const python = (script: string, ...args: string[]) =>
  execFileSync('/usr/bin/python3', ['-c', script, ...args], { encoding: 'utf8' })

/** The entries as [index from 0 …, value], in the order of the file. */
export const list = ({ indices, values }: SparseTensor): number[][] =>
  Array.from(values, (value, e) => [...indices.map((column) => column[e]), value])

export const dense = (shape: number[], data: NpyArray['data']) => encodeNpy({ shape, data })
export const npz = (entries: NpzEntries) => encodeNpz(entries)

export const tensor: SparseTensor = {
  dims: [2, 3, 4],
  indices: [Uint32Array.of(1, 0, 1), Uint32Array.of(2, 0, 0), Uint32Array.of(1, 3, 1)],
  values: Float32Array.of(0.1, 2, 0),
  labels: [['a', 'ä,"\n'], undefined, ['', '1', '01', '#']],
  modes: [{ name: 'x' }, { name: 'y' }, { name: 'week(z)', type: 'DATE' }],
  valueName: 'rating',
}
export const model = new CpModel({
  dims: [2, 3],
  rank: 1,
  factors: [Float32Array.of(1, 2), Float32Array.of(0.5, 3, 4)],
})
