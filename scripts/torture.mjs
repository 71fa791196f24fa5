// Kills commands at chosen operations, lets disks, reads, clocks and devices fail, resumes, and checks every file.
// `npm run torture -- --help` prints the options. Prints a table and what was found; ends with 1 if something was.
// @ts-check
import { readArguments, refuse } from './commandLine.mjs'
import { cases } from './torture/cases.mjs'
import { formatOutcomes } from './torture/table.mjs'
import { torture } from './torture/torture.mjs'

const USAGE = `npm run torture -- [options]

  --minutes N  how long; 30 by default
  --kills N    until so many processes were killed, in place of a time
  --only PART  the cases whose names contain this
  --seed N     decides the attempts; random by default
  --attempt N  one attempt of the seed again, as it was printed
  --jobs N     attempts at the same time`

const { values } = readArguments(
  USAGE,
  {
    options: {
      minutes: { type: 'string' },
      kills: { type: 'string' },
      seed: { type: 'string', default: String(Date.now() % 1e6) },
      attempt: { type: 'string' },
      only: { type: 'string' },
      jobs: { type: 'string' },
    },
  },
  ['minutes', 'kills', 'seed', 'attempt', 'jobs'],
)
if (values.only !== undefined && !cases.some(({ name }) => name.includes(values.only ?? '')))
  refuse(`There is no case ${values.only}. The cases: ${cases.map(({ name }) => name).join(', ')}.`)
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
