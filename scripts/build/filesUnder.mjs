// @ts-check
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A file itself, or all files below a folder, in order of their paths. @param {string} path @returns {string[]} */
export function filesUnder(path) {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
