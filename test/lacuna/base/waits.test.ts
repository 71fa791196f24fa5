import { expect, it } from 'vitest'
import { nameWait, pendingWaits, waitFor } from '#lacuna/base/waits.js'
import { Communicator } from '#lacuna/comm/index.js'
import { Run } from '#lacuna/solver/index.js'
import { synthetic } from '#lacuna/tensor/index.js'
import { watch } from '../../watchdog.ts'

const names = (): string[] => pendingWaits().map(({ what }) => what)

it('a wait has a name until it is resolved, rejected, or fails at its beginning', async () => {
  let resolve = (_: number): void => {}
  const waiting = waitFor<number>('a number', (done) => {
    resolve = done
  })
  expect(pendingWaits()).toEqual([{ what: 'a number', seconds: expect.closeTo(0, 0) }])
  resolve(7)
  expect(await waiting).toBe(7)
  const failure = new Error('no')
  await expect(nameWait('a failure', Promise.reject(failure))).rejects.toBe(failure)
  const throws = (): never => {
    throw failure
  }
  await expect(waitFor('nothing', throws)).rejects.toBe(failure)
  expect(names()).toEqual([])
})

it('the watchdog names the threads for which a run waits, and nothing after its end', async () => {
  const { tensor } = synthetic({ dims: [12, 10, 8], entries: 500, rank: 2, snrDb: 15, seed: 2 })
  const run = await Run.start(tensor, { rank: 2, threads: 2 })
  const advanced = run.advance()
  for (let tick = 0; tick < 5; tick++) await Promise.resolve()
  // A small problem: one of the threads is enough.
  expect(names()).toEqual(["worker thread 1 to answer 'iterate'"])
  await advanced
  await run.close()
  expect(names()).toEqual([])
})

it('the watchdog names the operation for which a process waits for ever', async () => {
  const never = (): Promise<never> => new Promise(() => {})
  const transport = {
    broadcast: never,
    allReduce: never,
    allGather: never,
    allToAll: never,
    shareMemory: never,
  }
  const communicator = new Communicator(transport, { rank: 1, size: 2, hostSize: 2, sharesMemory: false })
  void communicator.runInOrder(3, 5, never)
  const cancelled = watch('a test that ends', 40, () => expect.unreachable())
  cancelled()
  const sentence = await new Promise<string>((report) => watch('a test that hangs', 40, report))
  expect(sentence).toMatch(
    /^After 0\.036 of 0\.04 s "a test that hangs" waits for the turn and end of operation 3\.5 of all processes \(for \d\.\d s\)\.$/,
  )
})
