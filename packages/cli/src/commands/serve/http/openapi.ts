/** The OpenAPI document, made of the schemas that validate. */
import { version } from 'lacuna'
import { type Operation, operations } from '../operations.ts'
import type { Schema } from '../schemas/index.ts'
import {
  errorAnswer,
  modelAnswer,
  modelsAnswer,
  reloadRequest,
  updateAnswer,
  updateRequest,
} from '../schemas/index.ts'
import { ARROW } from './body.ts'

/** Statuses of errors that every operation may answer, with their meaning. */
const errors = {
  400: 'The request is wrong; the sentence says how.',
  401: 'The token is missing or wrong.',
  404: 'There is no such model.',
  413: 'The body or the number of rows is too large.',
  415: 'The body is neither JSON nor NDJSON, nor, of predict, an Arrow stream.',
  503: 'Too many requests wait; the header Retry-After says when to try again.',
  504: 'The answer took too long.',
} as const

/** Content of one media type. */
const json = (schema: Schema) => ({ 'application/json': { schema } })
const error = (description: string) => ({ description, content: json(errorAnswer) })
const model = { name: 'model', in: 'path', required: true, schema: { type: 'string' } } as const

/** The document. @param needsToken whether requests need a bearer token */
export function openApi(needsToken: boolean): object {
  const updates: Record<string, Operation> = {
    update: {
      summary:
        'Learns from new entries; acknowledged when it is on the disk. Takes NDJSON too, an entry per line.',
      request: updateRequest,
      answer: updateAnswer,
      run: () => ({}),
    },
    reload: {
      summary: 'Reads the file of the model again, while questions are answered.',
      request: reloadRequest,
      answer: modelAnswer,
      run: () => ({}),
    },
  }
  const paths = Object.entries<Operation>({ ...operations, ...updates }).map(([name, operation]) => [
    `/v1/models/{model}/${name}`,
    { post: describeOperation(name, operation) },
  ])
  return {
    openapi: '3.1.0',
    info: { title: 'Lacuna', version, description: 'Predictions of nonnegative CP models.' },
    ...(needsToken && {
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      security: [{ token: [] }],
    }),
    paths: {
      '/v1/models': { get: describeGet('models', 'Lists the models.', modelsAnswer, []) },
      '/v1/models/{model}': { get: describeGet('model', 'Describes a model.', modelAnswer, [model]) },
      ...Object.fromEntries(paths),
    },
  }
}

/** An operation that has no body. */
const describeGet = (
  operationId: string,
  summary: string,
  answer: Schema,
  parameters: readonly object[],
) => ({
  operationId,
  summary,
  parameters,
  responses: { 200: { description: 'The answer.', content: json(answer) }, 401: error(errors[401]) },
})

/** An operation on a model. */
function describeOperation(operationId: string, { summary, request, answer, line }: Operation): object {
  const lines = (schema: Schema | undefined) => schema && { 'application/x-ndjson': { schema } }
  const stream = operationId === 'predict' && { [ARROW]: { schema: { type: 'string', format: 'binary' } } }
  return {
    operationId,
    summary,
    parameters: [model],
    requestBody: { required: true, content: { ...json(request), ...lines(line?.request), ...stream } },
    responses: {
      200: { description: 'The answer.', content: { ...json(answer), ...lines(line?.answer), ...stream } },
      ...Object.fromEntries(Object.entries(errors).map(([status, text]) => [status, error(text)])),
    },
  }
}
