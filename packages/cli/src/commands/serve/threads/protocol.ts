/** Messages between the server and its threads. */
import type { OperationName } from '../operations.ts'
import type { ModelAnswer } from '../schemas/index.ts'

/** How a question of `predict` uses Arrow streams. */
export interface ArrowUse {
  /** Whether the body is an Arrow stream; else it is JSON. */
  isRequest: boolean
  /** Whether the answer is one. */
  isAnswer: boolean
  /** Further properties of the request (interval, clip, unknown), which a stream cannot hold. */
  options: Readonly<Record<string, unknown>>
}

/** A question to a model, with the body as it came: bytes of UTF-8, or text. */
export interface Question {
  model: string
  operation: OperationName
  body: Uint8Array | string
  isLines: boolean
  arrow?: ArrowUse
}

/** An answer: the status of the response, and JSON, or an Arrow stream in place of it. */
export interface Answer {
  status: number
  text: string
  stream?: Uint8Array<ArrayBuffer>
}

/** A message to a thread that answers. */
export type ToAnswerThread =
  | { kind: 'limits'; mostRows: number }
  | { kind: 'model'; name: string; bytes: Uint8Array }
  | { kind: 'forget'; name: string }
  | ({ kind: 'question' } & Question)

/** A message from a thread that answers: an answer, or null when it has decoded a model. */
export type FromAnswerThread = Answer | null

/** The tasks of the writer thread, by name, with their arguments. */
export interface WriterTasks {
  open: { name: string; path: string; isReadOnly: boolean; mostRows: number }
  update: { name: string; body: Uint8Array | string; isLines: boolean }
  reload: { name: string; discard: boolean }
  /** Ends one model; `close` ends all. */
  closeModel: { name: string }
  close: object
}

/** A message to the writer thread. */
export type ToWriter = {
  [K in keyof WriterTasks]: { id: number; task: K } & WriterTasks[K]
}[keyof WriterTasks]

/** A version of a model: what is known of it, and its bytes in shared memory. */
export interface PublishedModel {
  about: ModelAnswer
  bytes: Uint8Array
}

/** The result of a task: a new version of the model, if there is one, and the answer to an update. */
export interface FromWriter {
  id: number
  published?: PublishedModel
  answer?: Answer
}

/** The answer of an error. */
export const errorOf = (status: number, message: string): Answer => ({
  status,
  text: JSON.stringify({ error: message }),
})
