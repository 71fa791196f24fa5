/** A thread that reads, in Node. */
import { distinctSteps } from './distinctSteps.ts'
import type { Reply, Request } from './messages.ts'
import { tnsSteps } from './tnsSteps.ts'

const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
const { thread, threads }: { thread: number; threads: number } = workerData
const tns = tnsSteps()

function answer(request: Request): unknown {
  switch (request.ask) {
    case 'count':
      return tns.count(request)
    case 'parse':
      return tns.parse(request)
    default:
      return distinctSteps[request.ask](request, thread, threads)
  }
}

parentPort?.on('message', (request: Request) => {
  let reply: Reply
  try {
    reply = { answer: answer(request) }
  } catch (error) {
    reply = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  parentPort.postMessage(reply)
})
