/**
 * Runs programs of TypeScript blocks one after another in one process, each by importing it as a module in its folder:
 * loading the library costs more than most examples do. programs.ts sends paths and waits for the end of each.
 */
// @ts-check
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

/** Values that differ from those that the page shows. @type {string[]} */
let differences = []

/**
 * Compares a value with its text on the page: `{ a, b }` names the keys, other text is the value as Node prints it, with
 * numbers rounded to the digits that are shown.
 * @param {unknown} value @param {string} shown
 */
function compareShown(value, shown) {
  const [, names] = /^\{ ((?:\w+, )*\w+) \}$/.exec(shown) ?? []
  if (names) {
    const keys = Object.keys(/** @type {object} */ (value)).join(', ')
    if (keys !== names) differences.push(`{ ${keys} } where ${shown} is shown`)
    return
  }
  const digits = Array.from(shown.matchAll(/\d+(?:\.(\d+))?/g), ([, decimals = '']) => decimals.length)
  const printed = inspect(value, { breakLength: Infinity, depth: 9 }).replace(/\d+(?:\.\d+)?/g, (number) => {
    const decimals = digits.shift() ?? 20
    return number.includes('.') && decimals < 20 ? Number(number).toFixed(decimals) : number
  })
  const dense = (/** @type {string} */ text) => text.replace(/\s/g, '')
  if (!dense(shown).startsWith(dense(printed))) differences.push(`${printed} where ${shown} is shown`)
}
Object.assign(globalThis, { compareShown })
console.log = () => {}

process.on('message', async (/** @type {string} */ path) => {
  process.chdir(dirname(path))
  differences = []
  let error
  try {
    await import(pathToFileURL(path).href)
  } catch (thrown) {
    error = thrown instanceof Error ? `${thrown.stack}` : String(thrown)
  }
  process.send?.({ error, differences })
})
