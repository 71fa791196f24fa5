/** The program of a worker thread, in Node and in browsers: it answers each request once. */
import type { InputError } from '../../../base/inputError.ts'
import type { Reply, Request } from './messages.ts'
import { mainPort } from './platform.ts'
import { createThread } from './thread.ts'

const port = mainPort<Reply, Request>()
const answer = createThread()

/**
 * Whether an error is an InputError, by its name: that of a separate module (an exchange) is of another
 * class.
 */
const isInputError = (error: Error): error is InputError => error.name === 'InputError' && 'sentence' in error

port.onMessage(async (request) => {
  try {
    port.send({ answer: await answer(request) })
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    port.send({
      failure,
      input:
        error instanceof Error && isInputError(error)
          ? { code: error.code, sentence: error.sentence }
          : undefined,
    })
  }
})
