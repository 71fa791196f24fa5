/**
 * The program of the thread that reads models and makes updates. Updates that wait are made together: the log is
 * synced once for all of them, and the model is published once.
 */
import { parentPort } from 'node:worker_threads'
import { InputError } from 'lacuna'
import { modeName } from 'lacuna/internal'
import { listEntries } from '../columns.ts'
import { checkRows, parseJson } from '../operations.ts'
import { type ModelAnswer, type UpdateRequest, updateRequest, validate } from '../schemas/index.ts'
import { ModelStore } from '../updates/modelStore.ts'
import { errorAnswer } from './errorAnswer.ts'
import { errorOf, type FromWriter, type PublishedModel, type ToWriter } from './protocol.ts'

/** Models by name, and whether they take no updates. */
const stores = new Map<string, { store: ModelStore; isReadOnly: boolean }>()
let mostRows = Infinity

/** Messages that wait. */
const queue: ToWriter[] = []
let isBusy = false

parentPort!.on('message', (message: ToWriter) => {
  queue.push(message)
  if (!isBusy) void work()
})

/** Works off the queue: consecutive updates of a model together, everything else one by one. */
async function work(): Promise<void> {
  isBusy = true
  while (queue.length > 0) {
    const [first] = queue
    let count = 1
    if (first.task === 'update') while (count < queue.length && isUpdateOf(queue[count], first.name)) count++
    const messages = queue.splice(0, count)
    try {
      if (first.task === 'update') await update(first.name, messages as UpdateMessage[])
      else reply(await perform(first))
    } catch (error) {
      for (const { id } of messages) reply({ id, answer: errorAnswer(error) })
    }
  }
  isBusy = false
}

type UpdateMessage = Extract<ToWriter, { task: 'update' }>

const isUpdateOf = (message: ToWriter, name: string): boolean =>
  message.task === 'update' && message.name === name
const reply = (message: FromWriter): void => parentPort!.postMessage(message)

/** Opens, reloads or closes. */
async function perform(message: Exclude<ToWriter, UpdateMessage>): Promise<FromWriter> {
  const { id } = message
  switch (message.task) {
    case 'open': {
      const { name, path, isReadOnly } = message
      mostRows = message.mostRows
      const store = await ModelStore.open(path, isReadOnly)
      stores.set(name, { store, isReadOnly })
      return { id, published: publish(name) }
    }
    case 'reload': {
      await storeOf(message.name).store.reload(message.discard)
      const published = publish(message.name)
      return { id, published, answer: { status: 200, text: JSON.stringify(published.about) } }
    }
    case 'closeModel':
      await closeStore(message.name)
      return { id }
    case 'close':
      for (const name of stores.keys()) await closeStore(name)
      return { id }
  }
}

/** Compacts the updates of a model and releases its files. */
async function closeStore(name: string): Promise<void> {
  const { store } = storeOf(name)
  stores.delete(name)
  await store.compactIfPossible()
  await store.close()
}

/** Makes updates together; each gets its own answer, and all the same new version of the model. */
async function update(name: string, messages: readonly UpdateMessage[]): Promise<void> {
  const { store } = storeOf(name)
  const parsed = messages.flatMap((message) => {
    try {
      return [{ message, request: parseUpdate(message) }]
    } catch (error) {
      reply({ id: message.id, answer: errorAnswer(error) })
      return []
    }
  })
  if (parsed.length === 0) return
  let published: PublishedModel | undefined
  let answers: FromWriter['answer'][]
  try {
    const results = await store.update(parsed.map(({ request }) => request))
    answers = results.map((result) =>
      'refused' in result ? errorAnswer(result.refused) : { status: 200, text: JSON.stringify(result) },
    )
    if (results.some((result) => !('refused' in result))) published = publish(name)
  } catch (error) {
    // A log that cannot be written is no fault of the request.
    const isFile = error instanceof InputError && error.code === 'file'
    answers = parsed.map(() => (isFile ? errorOf(507, error.message) : errorAnswer(error)))
  }
  // The first answer brings the new version; the server gives out no answer of the batch before all threads have it.
  for (const [i, { message }] of parsed.entries())
    reply({ id: message.id, answer: answers[i], ...(i === 0 && published && { published }) })
}

/** Validates the body of an update: JSON, or NDJSON with an entry per line. */
function parseUpdate({ body, isLines }: UpdateMessage): UpdateRequest {
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body)
  const content = isLines
    ? { entries: text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parseJson(line, 'A line')])) }
    : parseJson(text)
  const request = validate(content, updateRequest)
  checkRows(request, mostRows)
  return { ...request, entries: listEntries(request.entries) }
}

/** The store of a model; throws if there is none. */
function storeOf(name: string): { store: ModelStore; isReadOnly: boolean } {
  const store = stores.get(name)
  if (!store) throw new InputError('option', `There is no model "${name}".`)
  return store
}

/** The current version of a model. */
function publish(name: string): PublishedModel {
  const { store, isReadOnly } = storeOf(name)
  const { model, sequence } = store
  const { dims, members, observed, range, training } = model
  const about: ModelAnswer = {
    name,
    modes: dims.map((size, mode) => ({
      name: modeName(model, mode),
      size,
      first: model.label(mode, 0),
      last: model.label(mode, size - 1),
    })),
    rank: members[0].rank,
    members: members.length,
    value: typeof training.value === 'string' ? training.value : 'value',
    entries: observed?.entries,
    range,
    updates: sequence,
    isReadOnly,
  }
  return { about, bytes: store.encode() }
}
