// Kills `lacuna complete` repeatedly while it learns, resumes it each time on another number of threads, and compares
// the factors with those of an uninterrupted run: the long chains of one command, for test/cli/resume.test.ts.
// @ts-check
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashFactors } from './fingerprint.mjs'
import { launch } from './launch.mjs'

/**
 * @typedef {object} Chains
 * @property {number} kills number of kills
 * @property {number} chains number of runs; each is killed and resumed until it ends
 * @property {number} resumed how often a run continued from a checkpoint and not from the beginning
 * @property {number} different number of runs whose factors differ from those of the uninterrupted run
 * @property {number} leftover number of hidden files that were left when a run had ended
 */

/**
 * Runs the command and kills it at random moments, by the signals in turn, until the number of kills is reached.
 *
 * @param {object} options
 * @param {number} options.kills
 * @param {string} options.folder folder of data.tns and of the models
 * @param {readonly string[]} options.args arguments of `complete`, without files, threads and output
 * @param {NodeJS.Signals[]} [options.signals]
 * @param {[number, number]} [options.between] shortest and longest time to the kill after the data is read, in milliseconds
 * @param {string} options.wanted hash of the uninterrupted run's factors
 * @returns {Promise<Chains>}
 */
export async function killAndResume({
  kills,
  folder,
  args,
  signals = ['SIGKILL'],
  between = [0, 2000],
  wanted,
}) {
  const command = ['complete', 'data.tns', ...args, '--checkpoint-every', '0.05']
  const outcome = { kills: 0, chains: 0, resumed: 0, different: 0, leftover: 0 }
  while (outcome.kills < kills) {
    const model = `model-${++outcome.chains}.npz`
    for (;;) {
      const threads = String(1 + Math.floor(4 * Math.random()))
      const signal = signals[outcome.kills % signals.length]
      const [shortest, longest] = between
      const afterMs = shortest + Math.random() * (longest - shortest)
      const checkpoint = join(folder, `${model}.run`)
      // The line with the rank is printed when the entries have been read and learning begins. A run that finds a
      // checkpoint is killed only after it has printed that it continues from it.
      const started = existsSync(checkpoint) ? ['Rank ', 'Going on from'] : ['Rank ']
      // Every other kill waits for a checkpoint; the others may come before the first.
      const awaited = outcome.kills % 2 === 1 ? checkpoint : folder
      const when = (/** @type {string} */ stderr) =>
        started.every((text) => stderr.includes(text)) && existsSync(awaited)
      const { code, killed, stderr } = await launch(
        folder,
        [...command, '--threads', threads, '-o', model, '--resume'],
        outcome.kills < kills ? { kind: 'signal', signal, afterMs, when } : undefined,
        { env: { TMPDIR: folder } },
      )
      if (stderr.includes('Going on from')) outcome.resumed++
      if (code === 0) break
      if (!killed && signals.includes('SIGKILL')) throw new Error(`It ended with ${code}:\n${stderr}`)
      outcome.kills++
    }
    if ((await hashFactors(join(folder, model))) !== wanted) outcome.different++
    outcome.leftover += readdirSync(folder).filter((name) => name.startsWith('.')).length
  }
  return outcome
}
