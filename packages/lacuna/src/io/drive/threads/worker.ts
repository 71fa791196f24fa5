/** The program of a thread that reads: answers the requests of messages.ts one after the other. */
import type { MessagePort } from 'node:worker_threads'
import { distinctSteps } from './distinctSteps.ts'
import type { Reply, Request } from './messages.ts'
import { textSteps } from './textSteps.ts'
import { tnsSteps } from './tnsSteps.ts'

/** Globals that base/nodeThreads.ts defines for the program of a thread. */
declare const lacunaPort: MessagePort
declare const lacunaData: { thread: number; threads: number }

const { thread, threads } = lacunaData
const tns = tnsSteps()
const text = textSteps(thread, threads)

/** Does the step that a request asks for; returns its answer, or a promise of it. */
function answerRequest(request: Request): unknown {
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

lacunaPort.on('message', async (request: Request) => {
  let reply: Reply
  try {
    reply = { answer: await answerRequest(request) }
  } catch (error) {
    reply = { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  lacunaPort.postMessage(reply)
})
