// Removes doc comments from compiled JavaScript: the declarations beside it have them, and the package is smaller without. Their lines
// stay, blank, so that source maps hold. Comments that bundlers read (webpackIgnore, vite-ignore) stand inside expressions and stay.
// @ts-check
import { readFileSync, writeFileSync } from 'node:fs'
import { filesUnder } from './filesUnder.mjs'

/** A doc comment that has its lines to itself. */
const DOC_COMMENT = /^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*\n/gm

/** @param {string} folder all .js files below it are rewritten, if they have doc comments */
export function stripDocComments(folder) {
  for (const file of filesUnder(folder)) {
    if (!file.endsWith('.js') || file.includes('/embedded/')) continue
    const code = readFileSync(file, 'utf8')
    const stripped = blankDocComments(code)
    if (stripped !== code) writeFileSync(file, stripped)
  }
}

/** Makes the lines of doc comments blank. @param {string} code JavaScript or TypeScript @returns as many lines */
export const blankDocComments = (code) =>
  code.replace(DOC_COMMENT, (comment) => comment.replaceAll(/[^\n]/g, ''))
