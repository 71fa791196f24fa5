// The table of the harness: a row for each case, then what was found.
// @ts-check

/** @typedef {import('./attempt.mjs').Outcome} Outcome */

const COUNTS = /** @type {const} */ (['runs', 'kills', 'errors', 'resumes'])
const FINDINGS = /** @type {const} */ (['damaged', 'leftover', 'unclean'])

/** An outcome without anything in it. @returns {Outcome} */
export const noOutcome = () => ({
  runs: 0,
  kills: 0,
  errors: 0,
  resumes: 0,
  damaged: [],
  leftover: [],
  unclean: [],
})

/** Adds an outcome to another. @param {Outcome} sum @param {Outcome} more */
export function addOutcome(sum, more) {
  for (const name of COUNTS) sum[name] += more[name]
  for (const name of FINDINGS) sum[name].push(...more[name])
}

/** Lists the findings of an outcome, each with its kind. @param {Outcome} outcome */
export const listFindings = (outcome) =>
  FINDINGS.flatMap((name) => outcome[name].map((text) => `${name}: ${text}`))

/** Formats outcomes by case, and their sum. @param {ReadonlyMap<string, Outcome>} outcomes @returns {string} */
export function formatOutcomes(outcomes) {
  const sum = noOutcome()
  for (const outcome of outcomes.values()) addOutcome(sum, outcome)
  const head = ['case', ...COUNTS, ...FINDINGS]
  const rows = [...outcomes, /** @type {[string, Outcome]} */ (['all', sum])].map(([name, outcome]) => [
    name,
    ...COUNTS.map((count) => String(outcome[count])),
    ...FINDINGS.map((finding) => String(outcome[finding].length)),
  ])
  const widths = head.map((title, k) => Math.max(title.length, ...rows.map((row) => row[k].length)))
  const lines = [head, ...rows].map((row) =>
    row.map((cell, k) => (k === 0 ? cell.padEnd(widths[k]) : cell.padStart(widths[k]))).join('  '),
  )
  return [...lines, ...listFindings(sum)].join('\n')
}
