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

parentPort!.on('message', (message: ToAnswerThread) => {
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
  else reply = answerQuestion(message)
  parentPort!.postMessage(reply)
})

/** Answers a question; errors of the user are answers, too. */
function answerQuestion({ model: name, operation, body, isLines }: Question): Answer {
  try {
    const model = models.get(name)
    if (!model) return errorOf(404, `There is no model "${name}".`)
    const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
    return { status: 200, text: answer(model, operation, text, { isLines, mostRows }) }
  } catch (error) {
    return errorAnswer(error)
  }
}
