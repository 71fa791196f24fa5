/** Requests of `lacuna serve --stdio`: the operations of the HTTP service, and some of its own. */
import { InputError } from 'lacuna'
import { type Models, nameOfFile } from '../models.ts'
import { type OperationName, operations } from '../operations.ts'
import { reloadRequest, type Schema, validate } from '../schemas/index.ts'
import { type Answer, errorOf } from '../threads/protocol.ts'
import { type CommandOutput, runCaptured } from './command.ts'

/** A line of stdin without its request, which the schema of the operation validates. */
const lineRequest = {
  type: 'object',
  properties: {
    id: { anyOf: [{ type: 'string', maxLength: 1000 }, { type: 'number' }] },
    operation: { type: 'string' },
    model: { type: 'string' },
  },
  required: ['operation'],
  additionalProperties: false,
} as const satisfies Schema

/** A model to open. */
const openRequest = {
  type: 'object',
  properties: { path: { type: 'string' }, name: { type: 'string' }, readOnly: { type: 'boolean' } },
  required: ['path'],
  additionalProperties: false,
} as const satisfies Schema

/** A command to run. */
const commandRequest = {
  type: 'object',
  properties: { args: { type: 'array', items: { type: 'string' }, minItems: 1 } },
  required: ['args'],
  additionalProperties: false,
} as const satisfies Schema

const emptyRequest = { type: 'object', properties: {}, additionalProperties: false } as const satisfies Schema

/** A line of stdin, parsed. */
export interface LineRequest {
  id?: string | number
  operation: string
  model?: string
  request: object
}

/** The models, and the functions that requests on stdin may call. */
export interface RequestContext {
  models: Models
  isReadOnly: boolean
  /** Runs a command of the program. */
  runCommand(args: readonly string[]): Promise<void>
}

/** Parses a line; throws an InputError if it is no request. @param onId called with its id, if it has one */
export function parseLine(text: string, onId: (id: string | number) => void): LineRequest {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new InputError('format', 'The line is not JSON.')
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new InputError('format', 'The line must be an object.')
  const { request = {}, ...rest } = json as Record<string, unknown>
  if (typeof rest.id === 'string' || typeof rest.id === 'number') onId(rest.id)
  const line = validate(rest, lineRequest, 'The line')
  if (typeof request !== 'object' || request === null || Array.isArray(request))
    throw new InputError('format', 'The request must be an object.')
  return { ...line, request }
}

/**
 * Answers a request; throws an InputError if it is wrong.
 * @param output called with progress and notices of a command
 */
export async function answerRequest(
  { operation, model, request }: LineRequest,
  { models, isReadOnly, runCommand }: RequestContext,
  output: CommandOutput,
): Promise<Answer> {
  switch (operation) {
    case 'models':
      validate(request, emptyRequest, 'The request')
      return ok({ models: models.list })
    case 'open': {
      const {
        path,
        name = nameOfFile(path),
        readOnly = false,
      } = validate(request, openRequest, 'The request')
      if (models.about(name))
        return errorOf(400, `There is a model "${name}" already; close it, or give another name.`)
      return models.add(name, path, readOnly || isReadOnly)
    }
    case 'command': {
      const { args } = validate(request, commandRequest, 'The request')
      return ok({ output: await runCaptured(args, runCommand, output) })
    }
  }
  const isQuestion = Object.hasOwn(operations, operation)
  if (!isQuestion && !['model', 'update', 'reload', 'close'].includes(operation))
    throw new InputError(
      'option',
      `There is no operation ${JSON.stringify(operation.slice(0, 40))}; there are ${[...Object.keys(operations), 'update', 'models', 'model', 'reload', 'open', 'close', 'command'].join(', ')}.`,
    )
  const name = model ?? (models.list.length === 1 ? models.list[0].name : undefined)
  const about = name === undefined ? undefined : models.about(name)
  if (name === undefined)
    throw new InputError('option', `${operation} needs a "model"; the operation models lists them.`)
  if (!about)
    throw new InputError(
      'option',
      `There is no model "${name.slice(0, 100)}"; the operation models lists them.`,
    )
  if (isQuestion)
    return models.ask({
      model: name,
      operation: operation as OperationName,
      body: JSON.stringify(request),
      isLines: false,
    })
  if (operation === 'update') return models.update(name, JSON.stringify(request), false)
  if (operation === 'reload') {
    const { discard = false } = validate(request, reloadRequest, 'The request')
    return models.reload(name, discard)
  }
  validate(request, emptyRequest, 'The request')
  return operation === 'close' ? models.remove(name) : ok(about)
}

/** The answer of a request that succeeded. */
const ok = (answer: object): Answer => ({ status: 200, text: JSON.stringify(answer) })
