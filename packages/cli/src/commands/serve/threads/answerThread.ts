/** The program of a thread that answers questions: it holds every model, and parses and validates bodies itself. */
import { parentPort } from 'node:worker_threads'
import { decodeAnyModel } from 'lacuna/folds'
import type { ServedModel } from '../columns.ts'
import { answer } from '../operations.ts'
import { errorAnswer } from './errorAnswer.ts'
import {
  type Answer,
  errorOf,
  type FromAnswerThread,
  type Question,
  type ToAnswerThread,
} from './protocol.ts'

const models = new Map<string, ServedModel>()
let mostRows = Infinity

parentPort!.on('message', async (message: ToAnswerThread) => {
  if (message.kind === 'limits') {
    mostRows = message.mostRows
    return
  }
  if (message.kind === 'forget') {
    models.delete(message.name)
    return
  }
  let reply: FromAnswerThread = null
  if (message.kind === 'model') models.set(message.name, decodeAnyModel(message.bytes, message.name))
  else reply = await answerQuestion(message)
  parentPort!.postMessage(reply)
})

/** Answers a question; errors of the user are answers, too. */
async function answerQuestion({ model: name, operation, body, isLines, arrow }: Question): Promise<Answer> {
  try {
    const model = models.get(name)
    if (!model) return errorOf(404, `There is no model "${name}".`)
    if (arrow) {
      // Loaded when it is first asked for.
      const { answerArrow } = await import('../http/arrow.ts')
      const answered = answerArrow(model, body as Uint8Array, arrow, mostRows)
      if (typeof answered === 'string') return { status: 200, text: answered }
      return { status: 200, text: '', stream: answered as Uint8Array<ArrayBuffer> }
    }
    const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
    return { status: 200, text: answer(model, operation, text, { isLines, mostRows }) }
  } catch (error) {
    return errorAnswer(error)
  }
}
