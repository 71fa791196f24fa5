/**
 * Files of a release that every later one must open with the same content: model files, checkpoints and data files. The
 * manifest of a release has a digest of what was read from each. scripts/golden.mjs writes the folder of a new release.
 */
// @ts-check
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { decodeSearch } from '#lacuna/folds.js'
import { decodeRun, readModel, readTensor } from '#lacuna/index.js'

/** A digest of values, in their order; arrays of numbers by their bytes. @param {unknown[]} values */
function digest(values) {
  const hash = createHash('sha256')
  for (const value of values)
    if (ArrayBuffer.isView(value))
      hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    else hash.update(JSON.stringify(value) ?? 'undefined')
  return hash.digest('hex').slice(0, 32)
}

/** A digest of everything that is read from a file of a release. @param {string} path */
export async function digestOfFile(path) {
  const name = basename(path)
  if (name === 'search.run') return digest([Object.keys(decodeSearch(readFileSync(path), name)).sort()])
  if (name.endsWith('.run')) {
    const { settings, progress, engine, digest: entries } = decodeRun(readFileSync(path), name)
    return digest([settings.rank, settings.seed, progress.epoch, entries, Object.keys(engine).sort()])
  }
  if (name.startsWith('data')) {
    const { dims, indices, values, labels, modes, weights } = await readTensor(path, { threads: 1 })
    return digest([dims, ...indices, values, labels, modes?.map((mode) => mode.name), weights])
  }
  const model = await readModel(path)
  const members = 'members' in model ? model.members : [model]
  const at = model.dims.map((size) => Math.floor(size / 2))
  return digest([
    model.dims,
    model.labels,
    ...members.flatMap(({ factors }) => factors),
    Math.fround(model.predict(at)),
  ])
}
