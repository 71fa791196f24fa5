// Fuzzes the readers of bytes, each for a while, from the stored corpus (test/fuzz/corpus). `npm run fuzz -- --help` prints
// the options. An input that fails is written to a file and added to the corpus.
// @ts-check
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { addToCorpus, readCorpus } from '../test/fuzz/corpus.mjs'
import { fuzz } from '../test/fuzz/fuzz.mjs'
import { makeReaders } from '../test/fuzz/readers.mjs'
import { readArguments, refuse } from './commandLine.mjs'

const USAGE = `npm run fuzz -- [options] [READER …]

  --seconds N  time for all readers together; 60 by default
  --seed N     decides the inputs; random by default
  --save       add inputs that reach new code to the corpus
  READER       the readers to fuzz, such as npz; all by default`

const { values, positionals } = readArguments(
  USAGE,
  {
    options: { seconds: { type: 'string' }, seed: { type: 'string' }, save: { type: 'boolean' } },
    allowPositionals: true,
  },
  ['seconds', 'seed'],
)
const { readers, close } = await makeReaders()
const unknown = positionals.find((name) => !(name in readers))
if (unknown) refuse(`There is no reader ${unknown}. The readers: ${Object.keys(readers).join(', ')}.`)
const names = positionals.length > 0 ? positionals : Object.keys(readers)
const seed = Number(values.seed ?? Date.now() % 2 ** 31)
const seconds = Number(values.seconds ?? 60) / names.length

// A watchdog: an input that takes more than a minute is written to a file, and the process ends.
const current = join(tmpdir(), `lacuna-fuzz-input-${process.pid}`)
const beat = new Int32Array(new SharedArrayBuffer(4))
const watchdog = new Worker(
  `const { workerData: { beat, current } } = require('node:worker_threads')
  let last = -1
  setInterval(() => {
    if (beat[0] === last) {
      console.error('An input has taken more than a minute: ' + current)
      process.kill(process.pid, 'SIGKILL')
    }
    last = beat[0]
  }, 60_000)`,
  { eval: true, workerData: { beat, current } },
)

console.log(`seed ${seed}`)
let inputs = 0
let faults = 0
for (const name of names) {
  const result = await fuzz(name, readers[name], {
    ...{ corpus: readCorpus(name), seconds, seed },
    onInput(input) {
      beat[0]++
      writeFileSync(current, input)
    },
  })
  inputs += result.inputs
  console.log(
    `${name.padEnd(12)}${String(result.inputs).padStart(7)} inputs ${String(result.blocks).padStart(7)} blocks ${String(result.found.length).padStart(5)} new`,
  )
  if (values.save) addToCorpus(name, result.found)
  if (!result.fault) continue
  faults++
  const path = join(tmpdir(), `lacuna-fuzz-${name}-${seed}`)
  writeFileSync(path, result.fault.input)
  addToCorpus(name, [], [result.fault.input])
  console.log(`  ${result.fault.fault}\n  the input is in ${path}`)
}
console.log(`${inputs} inputs, ${faults} readers with a fault`)
await watchdog.terminate()
await close()
process.exitCode = faults > 0 ? 1 : 0
