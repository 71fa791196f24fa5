/** A worker thread, in Node or in a browser: the main thread hears from it once per request. */
import type { Reply, Request } from './messages.ts'
import { mainPort } from './platform.ts'
import { newThread } from './thread.ts'

const port = mainPort<Reply, Request>()
const answer = newThread()

port.onMessage(async (request) => {
  try {
    port.send({ answer: await answer(request) })
  } catch (error) {
    port.send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
  }
})
