/** Failures of one process: all processes throw the same error, which names the process that failed. */
import { expect, it } from 'vitest'
import { planJob, refuseJob } from '#cli/process/memory.ts'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { commonOutcome, runInProcesses } from '../communicators.ts'

it('A failure in some processes is thrown in all and names the first of them, unless all fail alike', async () => {
  const engine = cpuEngine({ threads: 1 })
  const size = { dims: [100_000, 100_000], entries: 2 ** 40, rank: 10, momentumFactors: true }
  const plan = planJob(engine, size)
  await engine.close()
  const refused = async (isShort: (process: number) => boolean): Promise<unknown> =>
    commonOutcome(
      await runInProcesses(3, (communicator) =>
        communicator.failTogether(() =>
          refuseJob(
            { ...plan, available: isShort(communicator.rank) ? 0 : 2 * plan.byteLength },
            'big.tns: a lot',
          ),
        ),
      ),
    )
  expect(await refused((process) => process === 1)).toMatch(/^process 2 of 3: big\.tns: a lot would take /)
  expect(await refused((process) => process > 0)).toMatch(/^process 2 of 3: big\.tns: a lot would take /)
  expect(await refused(() => true)).toMatch(
    /^big\.tns: a lot would take .* Use a smaller rank or fewer entries\.$/,
  )
  expect(await refused(() => false)).toEqual([undefined, undefined, undefined])
})
