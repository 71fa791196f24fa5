// Judges how a command has ended under a fault: its code, its sentence, and its files.
// @ts-check
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { changedInputs, comparedFiles, isReadableModel, stateOf } from './folders.mjs'

/** @typedef {import('./cases.mjs').Case} Case */
/** @typedef {import('./launch.mjs').Ended} Ended */
/** @typedef {import('./launch.mjs').Fault} Fault */

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
 * @param {{ inputs: string, work: string, item: Case, fingerprints: string[], hasOld: boolean, ends: Ended[], mayBePartial: boolean }} run
 * @returns {Promise<string[]>}
 */
export async function findDamage({ inputs, work, item, fingerprints, hasOld, ends, mayBePartial }) {
  const damage = changedInputs(inputs, work).map((name) => `the input ${name} has changed`)
  const mustBeNew = ends.some(({ code }) => code === 0)
  const states = new Set()
  for (const [k, name] of comparedFiles(item).entries()) {
    let state = await stateOf(work, name, item, fingerprints[k])
    if (state === 'other' && mayBePartial && (await isReadableModel(join(work, name)))) state = 'new'
    states.add(state)
    if (state === 'other') damage.push(`${name} is neither old nor new`)
    else if (state === 'absent' && hasOld && item.outputs.includes(name)) damage.push(`${name} is lost`)
    else if (state !== 'new' && mustBeNew) damage.push(`${name} is ${state} though the command has succeeded`)
  }
  if (item.isUnit && states.size > 1)
    damage.push(`files that belong together are ${[...states].join(' and ')}`)
  for (const { stderr } of ends) {
    const [, rescued] = /The model is not lost: it is in (.*)\.$/m.exec(stderr) ?? []
    if (rescued === undefined) continue
    if (!(await isReadableModel(rescued))) damage.push('the rescued model cannot be read')
    rmSync(dirname(rescued), { recursive: true })
  }
  return damage
}
