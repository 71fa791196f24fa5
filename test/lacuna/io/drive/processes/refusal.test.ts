/** What one of several processes cannot do, all of them refuse, and its number is said. */
import { expect, it } from 'vitest'
import { planJob, refuseJob } from '#cli/process/memory.ts'
import { cpuEngine } from '#lacuna/engine/cpu/index.js'
import { agreed, inProcesses } from '../../../communicators.ts'

it('names the process that has too little memory, or none where all of them have', async () => {
  const engine = cpuEngine({ threads: 1 })
  const size = { dims: [100_000, 100_000], entries: 2 ** 40, rank: 10, momentumFactors: true }
  const plan = planJob(engine, size)
  await engine.close()
  const refused = async (isShort: (process: number) => boolean): Promise<unknown> =>
    agreed(
      await inProcesses(3, (communicator) =>
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
