// Kills commands at chosen operations, lets disks, reads, clocks and devices fail, resumes, and checks every file:
//   npm run torture -- --minutes 30               all cases, for half an hour
//   npm run torture -- --kills 500                until so many processes were killed
//   npm run torture -- --only split --minutes 2   some cases, by a part of their names
//   npm run torture -- --seed 7 --attempt 123     one attempt again, as it was printed
// Prints a table and what was found; ends with 1 if something was.
// @ts-check
import { parseArgs } from 'node:util'
import { formatOutcomes } from './torture/table.mjs'
import { torture } from './torture/torture.mjs'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1e6) },
    attempt: { type: 'string' },
    only: { type: 'string' },
    jobs: { type: 'string' },
  },
})
const given = (/** @type {string | undefined} */ text) => (text === undefined ? undefined : Number(text))
const kills = given(values.kills)
const minutes = given(values.minutes) ?? (kills === undefined ? 30 : Infinity)
const seed = Number(values.seed)
console.log(`Seed ${seed}`)
const begin = performance.now()
const { outcomes, folder } = await torture({
  ...{
    seconds: 60 * minutes,
    kills,
    seed,
    attempt: given(values.attempt),
    only: values.only,
    jobs: given(values.jobs),
  },
  say: (line) => process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`),
})
if (process.stderr.isTTY) process.stderr.write('\n')
console.log(formatOutcomes(outcomes))
console.log(
  `${Math.round((performance.now() - begin) / 1000)} s, seed ${seed}${folder ? `, files in ${folder}` : ''}`,
)
process.exitCode = folder ? 1 : 0
