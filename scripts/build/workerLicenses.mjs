// Completes licenses.md of the bundled studio: Vite lists only what the page itself bundles, not what its workers do.
// @ts-check
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { STUDIO_DIST } from './paths.mjs'

/** Packages of the repository, which have its licence. */
const OWN = /^lacuna/

/** Appends the licences of the studio's dependencies, and of theirs, that are not listed yet. */
export function addWorkerLicenses() {
  const path = `${STUDIO_DIST}/licenses.md`
  const listed = readFileSync(path, 'utf8')
  const isMissing = (/** @type {string} */ name) => !OWN.test(name) && !listed.includes(`\n## ${name} - `)
  const missing = new Set(Object.keys(readPackage('packages/studio').devDependencies).filter(isMissing))
  for (const name of missing)
    for (const dependency of Object.keys(readPackage(`node_modules/${name}`).dependencies ?? {}))
      if (isMissing(dependency)) missing.add(dependency)
  for (const name of [...missing].sort()) {
    const folder = `node_modules/${name}`
    const { version, license } = readPackage(folder)
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    const text = file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : ''
    appendFileSync(path, `\n## ${name} - ${version} (${license})\n\n${text}\n`)
  }
}

/** The description of the package in a folder. @param {string} folder */
const readPackage = (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
