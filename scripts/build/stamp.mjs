// Incremental steps: a step runs again only when the hash of its inputs has changed.
// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { filesUnder } from './filesUnder.mjs'
import { CACHE } from './paths.mjs'

/**
 * Runs `work` if an input changed since the last time, or if an output is missing.
 * @param {{ name: string, inputs: string[], outputs: string[], work: () => Promise<unknown> }} step inputs and outputs: files or
 * folders; of folders the files of source code and wasm below them count
 */
export async function runIfChanged({ name, inputs, outputs, work }) {
  const stamp = `${CACHE}/${name}.built-from`
  const hash = hashOf(['package-lock.json', 'scripts/build', ...inputs])
  if (outputs.every((path) => existsSync(path)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash)
    return
  await work()
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(stamp, hash)
}

/** @param {string[]} paths */
export function hashOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths.flatMap(filesUnder))
    if (!path.endsWith('.d.ts')) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}
