/**
 * Files of a release that every later one must open with the same content: model files, checkpoints, sessions and data files.
 * The manifest of a release has what was read from each. scripts/golden.mjs writes the folder of a new release.
 */
// @ts-check
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { completeByFolds, decodeSearch } from '#lacuna/folds.js'
import { decodeRun, readModel, readTensor, resumeRun, startRun } from '#lacuna/index.js'

/** A digest of values, in their order; arrays of numbers by their bytes. @param {readonly unknown[]} values */
function digest(values) {
  const hash = createHash('sha256')
  for (const value of values)
    if (ArrayBuffer.isView(value))
      hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    else hash.update(JSON.stringify(value) ?? 'undefined')
  return hash.digest('hex').slice(0, 32)
}

/** A value as JSON, with digests in place of typed arrays and long lists. @param {unknown} value @returns {unknown} */
function outline(value) {
  if (ArrayBuffer.isView(value) || (Array.isArray(value) && value.length > 50)) return digest([value])
  if (Array.isArray(value)) return value.map(outline)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value === undefined) return null
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(fields.map(([name, field]) => [name, outline(field)]))
}

/**
 * What is read from a file of a release: of checkpoints and sessions an outline, to which later releases may add fields, and
 * of other files a digest.
 * @param {string} path @param {(file: File) => Promise<any>} decodeSession @returns {Promise<unknown>}
 */
export async function contentOfFile(path, decodeSession) {
  const name = basename(path)
  if (name === 'search.run' || name === 'best.run') return outline(decodeSearch(readFileSync(path), name))
  if (name.endsWith('.run')) return outline(decodeRun(readFileSync(path), name))
  if (name.endsWith('.lacuna')) {
    const { file, ...session } = await decodeSession(new File([readFileSync(path)], name))
    return outline({ ...session, file: new Uint8Array(await file.arrayBuffer()) })
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

/** The settings of the runs and searches whose checkpoints are files of a release; they learn from its data.tns. */
export const settings = {
  'run.run': { rank: 2, seed: 3, epochs: 6, threads: 1 },
  'search.run': { rank: 2, seed: 5, epochs: 5, threads: 1 },
  'best.run': { seed: 5, epochs: 3, threads: 1 },
}

/**
 * A digest of the factors of a whole run or search, from its beginning, or continued from a checkpoint.
 * @param {keyof typeof settings} name @param {import('#lacuna/index.js').SparseTensor} tensor
 * @param {string} [checkpoint] its path
 */
export async function resultOf(name, tensor, checkpoint) {
  if (name === 'run.run') {
    const run = checkpoint
      ? await resumeRun(checkpoint, tensor, { threads: 1 })
      : await startRun(tensor, settings[name])
    for await (const _ of run);
    const { model } = await run.result()
    await run.close()
    return digest(model.factors)
  }
  const found = await completeByFolds(tensor, settings[name], {
    ...searchOptions(name),
    checkpointing: {
      saved: checkpoint ? decodeSearch(readFileSync(checkpoint), name) : undefined,
      ...{ every: Infinity, save: async () => {} },
    },
  })
  return digest(found?.model.members.flatMap(({ factors }) => factors) ?? [])
}

/** The options of a search. @param {'search.run' | 'best.run'} name @returns {import('#lacuna/folds.js').ByFoldsOptions} */
export const searchOptions = (name) => ({
  folds: 3,
  ...(name === 'best.run' && { findRank: 'best', ranks: [2] }),
})
