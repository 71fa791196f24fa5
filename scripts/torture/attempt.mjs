// An attempt: a command is run with faults, one to six times, then without; after each run its files are checked.
// @ts-check
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describeFault, drawFault } from './faults.mjs'
import { trainingError } from './fingerprint.mjs'
import { comparedFiles, fillFolder, fingerprint, leftovers } from './folders.mjs'
import { findBadEnd, findDamage } from './judge.mjs'
import { launch } from './launch.mjs'
import { randomOf } from './random.mjs'

/** @typedef {import('./cases.mjs').Case} Case */
/** @typedef {import('./launch.mjs').Ended} Ended */
/** @typedef {import('./launch.mjs').Fault} Fault */

/**
 * @typedef {object} Place
 * @property {string} inputs folder of the inputs
 * @property {string} folder folder for attempts
 * @property {(item: Case) => NodeJS.ProcessEnv} env environment of a case
 */

/**
 * @typedef {object} Reference an undisturbed run
 * @property {number} operations number of changes of files
 * @property {number} ms its duration
 * @property {string[]} fingerprints of the files that are compared
 * @property {string} stdout
 * @property {number} error RMSE of the model on its training entries; 0 if no model is learned
 */

/**
 * @typedef {object} Outcome
 * @property {number} runs runs with a fault
 * @property {number} kills processes that SIGKILL has ended
 * @property {number} errors other faults that came: errors, signals, short reads, clocks, devices, two writers
 * @property {number} resumes runs that went on from a checkpoint
 * @property {string[]} damaged inputs or outputs that are neither old nor new
 * @property {string[]} leftover files that are left after the last run
 * @property {string[]} unclean other findings: stack traces, wrong codes, other results
 */

/** Largest error of a model after the loss of a device, relative to that of an undisturbed run. */
const MOST_ERROR = 1.2

/** Runs a command without a fault in a new folder. @param {Place} place @param {Case} item @returns {Promise<Reference>} */
export async function runReference(place, item) {
  const attempt = join(place.folder, `reference ${item.name}`)
  const work = fillFolder(place.inputs, attempt, item, false)
  const begin = performance.now()
  const isJob = item.needs === 'mpi'
  const options = { env: place.env(item), processes: isJob ? 2 : 1 }
  const fault = { kind: isJob ? 'none' : 'count' }
  const { code, fired, stdout, stderr } = await launch(work, item.args, fault, options)
  const ms = performance.now() - begin
  if (code !== 0) throw new Error(`${item.name} ends with ${code} without a fault:\n${stderr}`)
  const files = comparedFiles(item).map((name) => fingerprint(join(work, name), item))
  const error = item.needs === 'gpu' ? await trainingError(join(work, item.outputs[0])) : 0
  const reference = { operations: Number(fired), ms, fingerprints: await Promise.all(files), stdout, error }
  rmSync(attempt, { recursive: true })
  return reference
}

/**
 * Runs an attempt; its folder stays if something was found.
 * @param {Place} place @param {Case} item @param {Reference} reference @param {number} seed @param {number} number
 * @returns {Promise<Outcome>}
 */
export async function runAttempt(place, item, reference, seed, number) {
  const random = randomOf(seed, number)
  const attempt = join(place.folder, `attempt ${number}`)
  const hasOld = random.unit() < 0.5
  const work = fillFolder(place.inputs, attempt, item, hasOld)
  const env = place.env(item)
  const run = { inputs: place.inputs, work, item, fingerprints: reference.fingerprints, hasOld }
  /** @type {Outcome} */
  const outcome = { runs: 0, kills: 0, errors: 0, resumes: 0, damaged: [], leftover: [], unclean: [] }
  /** @type {string[]} */
  const history = []
  const name = (/** @type {string} */ what) =>
    `${item.name}: ${what} [attempt ${number}: ${history.join('; ')}]`
  const may = { mayBePartial: false, mayDiffer: false, mayBeMixed: false }
  for (let left = 1 + random.below(6); left > 0; left--) {
    const fault = drawFault(item, random, reference)
    const args = [...item.args, ...(item.resumes && history.length > 0 ? ['--resume'] : [])]
    history.push(describeFault(fault))
    const ends = await launchWith(work, args, fault, { env, processes: item.needs === 'mpi' ? 2 : 1 })
    outcome.runs++
    for (const end of ends) {
      const isKilled = end.killed || (fault.kind === 'moment' && end.code !== 0)
      if (isKilled) outcome.kills++
      else if (end.fired || !['kill', 'system call', 'moment', 'error', 'device'].includes(fault.kind))
        outcome.errors++
      if (isResumed(end)) outcome.resumes++
      const bad = findBadEnd(fault, end, item)
      if (bad) outcome.unclean.push(name(bad))
      if (item.prints && end.code === 0 && end.stdout !== reference.stdout)
        outcome.unclean.push(name('prints something else'))
    }
    may.mayBePartial ||= fault.kind === 'signal'
    may.mayDiffer ||= fault.kind === 'device'
    may.mayBeMixed ||= ends.some(({ killed }) => killed)
    outcome.damaged.push(...(await findDamage({ ...run, ends, ...may })).map(name))
  }
  history.push('no fault')
  const processes = item.needs === 'mpi' ? 1 + random.below(2) : 1
  const threads = item.needs === 'mpi' ? '1' : String(1 + random.below(3))
  const args = [...item.args, ...(item.resumes ? ['--resume', '--threads', threads] : [])]
  const end = await launch(work, args, undefined, { env, processes })
  if (isResumed(end)) outcome.resumes++
  if (end.code !== 0) outcome.unclean.push(name(`ends with ${end.code}: ${end.stderr.trim().slice(-300)}`))
  const must = { mayBePartial: false, mayDiffer: may.mayDiffer, mayBeMixed: false }
  outcome.damaged.push(...(await findDamage({ ...run, ends: [end], ...must })).map(name))
  if (may.mayDiffer && end.code === 0) {
    const error = await trainingError(join(work, item.outputs[0]))
    if (!(error < MOST_ERROR * reference.error)) outcome.unclean.push(name(`the error is ${error}`))
  }
  outcome.leftover.push(...leftovers(place.inputs, attempt, item).map(name))
  if (outcome.damaged.length + outcome.leftover.length + outcome.unclean.length === 0)
    rmSync(attempt, { recursive: true })
  return outcome
}

/** Whether a command went on from a checkpoint. @param {Ended} end */
const isResumed = ({ stderr }) => stderr.includes('Going on from')

/** Runs a command with a fault; the fault of two writers is the command twice at the same time. @param {string} work @param {string[]} args @param {Fault} fault @param {{ env: NodeJS.ProcessEnv, processes: number }} options */
function launchWith(work, args, fault, options) {
  if (fault.kind !== 'two writers') return Promise.all([launch(work, args, fault, options)])
  return Promise.all([1, 2].map(() => launch(work, args, undefined, options)))
}
