/** A thread that reads, in Node. */
import { distinctSteps } from './distinctSteps.ts'
import type { Reply, Request } from './messages.ts'
import { textSteps } from './textSteps.ts'
import { tnsSteps } from './tnsSteps.ts'

const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
const { thread, threads }: { thread: number; threads: number } = workerData
const tns = tnsSteps()
const text = textSteps(thread, threads)

function answer(request: Request): unknown {
  switch (request.ask) {
    case 'count':
      return tns.count(request)
    case 'parse':
      return tns.parse(request)
    case 'hash':
    case 'compare':
      return distinctSteps[request.ask](request, thread, threads)
    default:
      return text(request)
  }
}

parentPort?.on('message', async (request: Request) => {
  let reply: Reply
  try {
    reply = { answer: await answer(request) }
  } catch (error) {
    reply = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  parentPort.postMessage(reply)
})
