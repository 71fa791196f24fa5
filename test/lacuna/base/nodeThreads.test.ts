import type { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { type NodeThread, startIdleThreads, takeThread } from '#lacuna/base/nodeThreads.js'

/** Answers with its thread's number, what it was given to know, and what it is sent. */
const ECHO = `const { threadId } = process.getBuiltinModule('node:worker_threads')
lacunaPort.on('message', (said) => lacunaPort.postMessage([threadId, lacunaData, said]))`

const ask = ({ port }: NodeThread, said: unknown): Promise<[number, unknown, unknown]> =>
  new Promise((resolve) => {
    port.once('message', resolve)
    port.postMessage(said)
  })

it('A released thread is taken again, with another program', async () => {
  const first = takeThread(ECHO, 'one')
  const [number, data, said] = await ask(first, 1)
  expect([data, said]).toEqual(['one', 1])
  first.release()
  const second = takeThread(ECHO.replace('said]', 'said, "again"]'), 'two')
  expect(await ask(second, 2)).toEqual([number, 'two', 2, 'again'])
  const third = takeThread(ECHO)
  expect((await ask(third, 3))[0]).not.toBe(number)
  await Promise.all([second.terminate(), third.terminate()])
})

it('startIdleThreads starts threads in advance, and no more than asked for', async () => {
  startIdleThreads(2)
  startIdleThreads(2)
  const threads = [takeThread(ECHO), takeThread(ECHO), takeThread(ECHO)]
  const numbers = await Promise.all(threads.map(async (thread) => (await ask(thread, 0))[0]))
  // The third had to be started after the others.
  expect(Math.max(...numbers)).toBe(numbers[2])
  expect(new Set(numbers).size).toBe(3)
  await Promise.all(threads.map((thread) => thread.terminate()))
})

it('A failure of a thread reaches its error handler', async () => {
  const thread = takeThread(`lacunaPort.on('message', () => { throw new Error('no') })`)
  const failure = new Promise<Error>((resolve) => thread.onError(resolve))
  thread.port.postMessage(0)
  expect((await failure).message).toBe('no')
  await thread.terminate()
})

it('A thread that ended while idle is not taken', async () => {
  const ended = new Promise((resolve) => {
    process.once('worker', (worker: Worker) => worker.once('exit', resolve))
  })
  // Its port is closed when it is released: only then does it fail.
  const ending = takeThread(`${ECHO}\nlacunaPort.on('close', () => { throw new Error('late') })`)
  const [number] = await ask(ending, 0)
  ending.release()
  await ended
  const next = takeThread(ECHO)
  expect((await ask(next, 0))[0]).not.toBe(number)
  await next.terminate()
})
