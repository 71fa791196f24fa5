// @ts-check
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** In order of their paths. @param {string} folder @returns {string[]} */
export function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
