// Judges how a command has ended under a fault: its code, its sentence, and its files.
// @ts-check
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changedInputs, comparedFiles, isReadableModel, stateOf } from './folders.mjs'

/** @typedef {import('./cases.mjs').Case} Case */
/** @typedef {import('./launch.mjs').Ended} Ended */
/** @typedef {import('./launch.mjs').Fault} Fault */

/**
 * @typedef {object} Checked what is checked after a run
 * @property {string} inputs folder of the inputs
 * @property {string} work folder that the command ran in
 * @property {Case} item
 * @property {string[]} fingerprints of the files that are compared
 * @property {boolean} hasOld whether older outputs were there at first
 * @property {Ended[]} ends of the command, or of the two that ran at the same time
 * @property {boolean} mayBePartial whether a run was interrupted, which saves the model so far
 * @property {boolean} mayDiffer whether a device was lost, after which a run goes on from its last snapshot
 * @property {boolean} mayBeMixed whether a run was killed, maybe between two files that it replaces together
 */

/** Exit codes after signals. */
const SIGNAL_CODES = [129, 130, 143]

/**
 * What is wrong about the end of a command; undefined if nothing is.
 * @param {Fault} fault @param {Ended} end @param {Case} item
 * @returns {string | undefined}
 */
export function findBadEnd(fault, end, item) {
  if (end.hung) return 'hangs'
  if (/^\s+at .*:\d+/m.test(end.stderr)) return `prints a stack trace: ${end.stderr.trim().slice(0, 600)}`
  if (end.code === 0 || end.killed) return undefined
  if (item.needs === 'mpi' && fault.kind === 'moment') return undefined
  const isBySignal = fault.kind === 'signal' && (end.code === null || SIGNAL_CODES.includes(end.code))
  if (isBySignal) return undefined
  const sentences = end.stderr.split('\n').filter((line) => line.startsWith('lacuna: '))
  const mayFail = fault.kind === 'error' || fault.kind === 'two writers'
  if (mayFail && end.code === 2 && sentences.length === 1) return undefined
  return `ends with ${end.code}: ${end.stderr.trim().slice(-300)}`
}

/**
 * What a run has damaged: inputs that changed, outputs that are lost or neither old nor new, files that belong
 * together and do not go together, and a rescued model that cannot be read.
 * @param {Checked} run
 * @returns {Promise<string[]>}
 */
export async function findDamage({ inputs, work, item, fingerprints, hasOld, ends, ...may }) {
  const damage = changedInputs(inputs, work).map((name) => `the input ${name} has changed`)
  const mustBeNew = ends.some(({ code }) => code === 0)
  const states = new Set()
  for (const [k, name] of comparedFiles(item).entries()) {
    let state = await stateOf(work, name, item, fingerprints[k])
    const mayBeOther = may.mayBePartial || may.mayDiffer
    if (state === 'other' && mayBeOther && (await isReadableModel(join(work, name)))) state = 'new'
    states.add(state)
    if (state === 'other') damage.push(`${name} is neither old nor new`)
    else if (state === 'absent' && hasOld && item.outputs.includes(name)) damage.push(`${name} is lost`)
    else if (state !== 'new' && mustBeNew) damage.push(`${name} is ${state} though the command has succeeded`)
  }
  if (item.isUnit && states.size > 1 && !may.mayBeMixed)
    damage.push(`files that belong together are ${[...states].join(' and ')}`)
  for (const { stderr } of ends) {
    const [, rescued] = /The model is not lost: it is in (.*)\.$/m.exec(stderr) ?? []
    if (rescued === undefined) continue
    if (!(await isReadableModel(rescued))) damage.push('the rescued model cannot be read')
    rmSync(dirname(rescued), { recursive: true })
  }
  return damage
}
