/** A worker thread, in Node or in a browser: the main thread hears from it once per request. */
import type { InputError } from '../../../base/inputError.ts'
import type { Reply, Request } from './messages.ts'
import { mainPort } from './platform.ts'
import { createThread } from './thread.ts'

const port = mainPort<Reply, Request>()
const answer = createThread()

/** By its name: one that comes from a module of its own (an exchange) is of a class of its own. */
const isInputError = (error: Error): error is InputError => error.name === 'InputError' && 'sentence' in error

port.onMessage(async (request) => {
  try {
    port.send({ answer: await answer(request) })
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    port.send({
      failure,
      ...(error instanceof Error &&
        isInputError(error) && { input: { code: error.code, sentence: error.sentence } }),
    })
  }
})
