// Runs attempts on all cases until the time is over or there were enough kills.
// @ts-check
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAttempt, runReference } from './attempt.mjs'
import { cases } from './cases.mjs'
import { mpirun } from './launch.mjs'
import { prepareInputs } from './prepare.mjs'
import { randomOf } from './random.mjs'
import { startServer } from './server.mjs'
import { addOutcome, listFindings, noOutcome } from './table.mjs'

/** @typedef {import('./attempt.mjs').Outcome} Outcome */
/** @typedef {import('./attempt.mjs').Reference} Reference */
/** @typedef {import('./cases.mjs').Case} Case */

/** The Vulkan driver of a GPU in software, which chromium brings. */
const SOFTWARE_GPU = '/usr/lib/chromium/vk_swiftshader_icd.json'

/**
 * @typedef {object} Options
 * @property {number} [seconds] begins no attempt after this time, which does not count making the inputs
 * @property {number} [kills] ends after so many kills
 * @property {number} seed of all that is random
 * @property {number} [attempt] repeats this one alone
 * @property {string} [only] cases whose names contain this
 * @property {boolean} [quick] leaves out cases that take long
 * @property {number} [jobs] attempts at a time
 * @property {(line: string) => void} [say]
 */

/** @param {Options} options @returns {Promise<{ outcomes: Map<string, Outcome>, folder: string | undefined }>} */
export async function torture({
  seconds = Infinity,
  kills = Infinity,
  seed,
  attempt,
  only = '',
  quick = false,
  jobs = 2,
  say = () => {},
}) {
  const folder = mkdtempSync(join(tmpdir(), 'lacuna-torture-'))
  const inputs = join(folder, 'inputs')
  for (const name of [inputs, join(folder, 'tmp')]) mkdirSync(name)
  await prepareInputs(inputs)
  const end = performance.now() + 1000 * seconds
  const server = await startServer()
  const env = (/** @type {Case} */ { needs }) =>
    needs === 'server' ? server.env : needs === 'gpu' ? { VK_ICD_FILENAMES: SOFTWARE_GPU } : {}
  const place = { inputs, folder, env }
  const chosen = cases.filter(
    (item) => item.name.includes(only) && isPossible(item) && !(quick && item.weight < 1),
  )
  if (chosen.length === 0) throw new Error(`There is no case ${only}.`)
  /** @type {Map<string, Outcome>} */
  const outcomes = new Map(chosen.map(({ name }) => [name, noOutcome()]))
  /** @type {Map<string, Promise<Reference>>} */
  const references = new Map()
  const sum = noOutcome()
  let next = attempt ?? 1
  const work = async () => {
    while (performance.now() < end && sum.kills < kills && !(attempt !== undefined && next > attempt)) {
      const number = next++
      const item = drawCase(chosen, seed, number)
      if (!references.has(item.name)) references.set(item.name, runReference(place, item))
      const reference = await /** @type {Promise<Reference>} */ (references.get(item.name))
      const outcome = await runAttempt(place, item, reference, seed, number)
      addOutcome(/** @type {Outcome} */ (outcomes.get(item.name)), outcome)
      addOutcome(sum, outcome)
      for (const finding of listFindings(outcome)) say(finding)
      say(
        `${number} attempts, ${sum.kills} kills, ${sum.errors} other faults, ${listFindings(sum).length} findings`,
      )
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  server.close()
  const isClean = listFindings(sum).length === 0
  if (isClean) rmSync(folder, { recursive: true })
  return { outcomes, folder: isClean ? undefined : folder }
}

/** Whether this machine has what a case needs. @param {Case} item */
const isPossible = ({ needs }) =>
  needs === 'gpu' ? existsSync(SOFTWARE_GPU) : needs === 'mpi' ? Boolean(mpirun) : true

/** Draws the case of an attempt, by the weights. @param {readonly Case[]} chosen @param {number} seed @param {number} number */
function drawCase(chosen, seed, number) {
  let left = randomOf('case', seed, number).unit() * chosen.reduce((sum, { weight }) => sum + weight, 0)
  for (const item of chosen) {
    left -= item.weight
    if (left < 0) return item
  }
  return chosen[0]
}
