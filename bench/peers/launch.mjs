// Runs programs of peers, and measures their processor time.
// @ts-check
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * A problem: files of training and test entries in a folder for temporary files, the rank and the number of threads.
 * @typedef {{ train: string, test: string, rank: number, seed: number, threads: number, folder: string }} Problem
 * @typedef {{ rmse: number, [more: string]: unknown }} Result
 * @typedef {{ name: string, version: string, note: string, run(problem: Problem): Promise<Result> | Result }} Peer
 */

/** The path of a file beside this one. @param {string} name */
export const here = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Seconds of processor time that programs have taken, on all threads. */
export const used = { processorSeconds: 0 }

/**
 * Runs a program to its end and returns what it prints; its processor time is added to `used`, measured by bash, since
 * seconds on the clock mean little on a machine that does other work.
 * @param {string} program @param {string[]} args
 */
export function run(program, ...args) {
  const timed = 'TIMEFORMAT="%U %S"; time "$@"'
  const { status, stdout, stderr } = spawnSync('bash', ['-c', timed, 'bash', program, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  const lines = stderr.trim().split('\n')
  if (status !== 0) throw new Error(lines.slice(0, -1).at(-1) ?? `${program} has failed.`)
  used.processorSeconds +=
    lines
      .at(-1)
      ?.split(' ')
      .reduce((sum, seconds) => sum + Number(seconds), 0) ?? 0
  return stdout
}

/** The JSON of the last line. @param {string} text */
export const lastLine = (text) => JSON.parse(text.trim().split('\n').at(-1) ?? '')

/** What a program prints, or undefined if it cannot be run. @param {string} program @param {string[]} args */
export function tryRun(program, ...args) {
  try {
    return run(program, ...args).trim()
  } catch {
    return undefined
  }
}
