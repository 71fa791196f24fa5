/** A folder of tables for one test file, and what the tests on tables share. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { SparseTensor } from '#lacuna/tensor/index.js'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-tables-'))
afterAll(() => rmSync(folder, { recursive: true }))
export const at = (name: string) => `${folder}/${name}`

export function write(name: string, content: string | Uint8Array): string {
  writeFileSync(at(name), content)
  return at(name)
}

/** The entries as text, in their order: labels (or indices from 1), then the value. */
export function entries({ indices, values, labels }: SparseTensor): string[] {
  return Array.from(values, (value, e) =>
    [...indices.map((column, m) => labels?.[m]?.[column[e]] ?? column[e] + 1), value].join(' '),
  )
}

export const RATINGS = 'user,film,rating,at\nbo,10,4,2020-01-06\nann,9,3.5,2020-01-12\nann,10,1,2020-01-13\n'
export const modes = ['user', 'film', 'week(at)']
