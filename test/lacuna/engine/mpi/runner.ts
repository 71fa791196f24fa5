/**
 * The program of one process of an MPI job that runs the engine suite: bundled and started by mpirun
 * (job.ts). Every process gives the engine its own shard of the entries; rank 0 compares with the reference
 * and prints a line of JSON for each check.
 */

import { hashIndex, mix } from '#lacuna/base/random.js'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { mpiEngine } from '#lacuna/engine/cpu/mpiEngine.js'
import type { Engine, Problem } from '#lacuna/engine/engine.js'
import { pickEntries, type SparseTensor } from '#lacuna/tensor/index.js'
import {
  briefVariantChecks,
  engineChecks,
  skipComparisons,
  tryFewerProblems,
  type Variant,
  variantChecks,
} from '../suite.ts'

const { threads, suites, sharedMemory } = JSON.parse(process.argv[2]) as {
  threads: number[]
  suites: string[]
  sharedMemory: boolean
}
const engine = await mpiEngine({ threads: Math.max(...threads), sharedMemory })
const { process: own, processes } = engine
if (own > 0) skipComparisons()

/** The entries of this process: scattered by a hash; rank 0 has all of a set with an invalid entry. */
function shardOf(tensor: SparseTensor): SparseTensor {
  const { dims, indices, values, weights } = tensor
  const isSound =
    indices.every((column, mode) => column.every((index) => index < dims[mode])) &&
    values.every(Number.isFinite) &&
    (weights ?? values.slice(0, 0)).every((w) => w > 0 && w < Infinity)
  const owner = (e: number): number =>
    isSound ? mix(indices.reduce((hash, column) => hashIndex(hash, column[e]), e)) % processes : 0
  return pickEntries(
    tensor,
    Uint32Array.from(values.keys()).filter((e) => owner(e) === own),
  )
}

/** The engine of the job with some of its threads; it stays open for the next check. */
const openEngine = (threads: number): Engine => ({
  description: engine.description,
  communicator: engine.communicator,
  plan: (size) => engine.plan(size),
  load: ({ tensor, sets, ...problem }: Problem) =>
    engine
      .load({
        ...problem,
        tensor: shardOf(tensor),
        sets: sets && Object.fromEntries(Object.entries(sets).map(([name, set]) => [name, shardOf(set)])),
        threads: Math.min(threads, problem.threads ?? threads),
      })
      .catch((error) => {
        error.message = error.message.replace(/^process \d+ of \d+: /, '')
        throw error
      }),
  close: async () => {},
})

/** Runs a check; rank 0 prints its name, fault and seconds. After a fault the process kills itself. */
async function attempt(name: string, check: () => Promise<void>): Promise<void> {
  const start = performance.now()
  const fault = await check().then(
    () => undefined,
    (error) => String(error?.stack ?? error),
  )
  if (own === 0)
    process.stdout.write(`${JSON.stringify({ name, fault, seconds: (performance.now() - start) / 1000 })}\n`)
  // The others are elsewhere now: mpirun ends them.
  if (fault !== undefined) process.kill(process.pid, 'SIGKILL')
}

tryFewerProblems(8)
for (const [suite, checks] of Object.entries({ variants: variantChecks, brief: briefVariantChecks })) {
  if (!suites.includes(suite)) continue
  const variants: Variant[] = [
    { name: 'the CPU engine', make: () => cpuEngine({ threads: 1 }), isLocal: true },
    ...threads.map((count) => ({
      name: `${processes} processes of ${count} threads`,
      make: () => openEngine(count),
    })),
  ]
  for (const { name, check } of checks) await attempt(name, () => check(variants))
}
if (suites.includes('engine'))
  // What a process takes is less than all.
  for (const { name, check } of engineChecks.filter(({ name }) => !name.includes('plans')))
    await attempt(name, () => check(() => openEngine(Math.max(...threads))))
// A process that is ahead must not change what another still reads or copies.
if (suites.includes('memory'))
  await attempt('processes do not disturb each other', async () => {
    const tensor = shardOf({
      dims: [100_000, 3],
      indices: [Uint32Array.of(0, 1), Uint32Array.of(0, 1)],
      values: Float32Array.of(1, 2),
    })
    const problem = await engine.load({ tensor, rank: 4, momentumFactors: true, seed: 1 })
    const factorsOf = (x: number): Float32Array[] =>
      problem.statistics.dims.map((dim) => new Float32Array(4 * dim).fill(x))
    for (let round = 1; round <= 3; round++) {
      await problem.writeFactors(factorsOf(round))
      await problem.snapshot()
      const kept = await problem.readFactors('snapshot')
      if (own === round % processes) await new Promise((resolve) => setTimeout(resolve, 20))
      const current = await problem.readFactors()
      await problem.writeFactors(factorsOf(0))
      const changed = await problem.readFactors()
      await problem.restore()
      const restored = await problem.readFactors()
      for (const [factors, x] of [
        [kept, round],
        [current, round],
        [changed, 0],
        [restored, round],
      ] as const)
        if (!factors.every((factor) => factor.every((y) => y === x)))
          throw new Error(`Round ${round}: not ${x}.`)
    }
    await problem.close()
  })
// What memory a machine has is divided by how many processes it has.
if (suites.includes('memory'))
  await attempt('counts the processes of this machine', async () => {
    if (engine.communicator.hostSize !== processes)
      throw new Error(
        `Of ${processes} processes on this machine ${engine.communicator.hostSize} are counted.`,
      )
  })
await engine.close()
