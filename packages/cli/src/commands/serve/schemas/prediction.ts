/** Schemas of the operations on cells and entries: `predict`, fold-in and `evaluate`. */
import { cells, clip, count, entries, labelsByMode, name, number, numbersOrNull, value } from './parts.ts'
import { topAnswer, topRequest } from './ranking.ts'
import type { Schema } from './schema.ts'

const interval = {
  type: 'number',
  description: 'Probability that an interval contains the value, between 0 and 1; only of ensembles.',
} as const

/** Request schema of `predict`. */
export const predictRequest = {
  type: 'object',
  properties: {
    cells,
    clip,
    interval,
    unknown: {
      type: 'string',
      enum: ['error', 'null'],
      description: 'What is answered for labels that the model does not know; an error by default.',
    },
  },
  required: ['cells'],
  additionalProperties: false,
} as const satisfies Schema

/** Answer schema of `predict`: one number per cell, and the ends of intervals if they were asked for. */
export const predictAnswer = {
  type: 'object',
  properties: {
    predictions: numbersOrNull,
    low: numbersOrNull,
    high: numbersOrNull,
  },
  required: ['predictions'],
  additionalProperties: false,
} as const satisfies Schema

/** A line of the answer to NDJSON: the prediction, or why there is none. */
export const predictLine = {
  type: 'object',
  properties: { prediction: number, error: { type: 'string' } },
  additionalProperties: false,
} as const satisfies Schema

/** A fold-in of new rows, and what is asked of the larger model; nothing is stored. */
export const foldInRequest = {
  type: 'object',
  properties: {
    entries,
    value,
    top: { ...topRequest, description: 'A question of top to the model with the new rows.' },
    cells: { ...cells, description: 'Cells to predict by the model with the new rows.' },
    clip,
  },
  required: ['entries'],
  additionalProperties: false,
} as const satisfies Schema

/** Answer schema of fold-in. */
export const foldInAnswer = {
  type: 'object',
  properties: { newRows: labelsByMode, top: topAnswer, predictions: numbersOrNull },
  required: ['newRows'],
  additionalProperties: false,
} as const satisfies Schema

/** Entries that predictions are compared with. */
export const evaluateRequest = {
  type: 'object',
  properties: { entries, value, clip },
  required: ['entries'],
  additionalProperties: false,
} as const satisfies Schema

const quality = { rmse: number, mae: number, relative: number, r2: number, entries: count } as const

/** Answer schema of `evaluate`. */
export const evaluateAnswer = {
  type: 'object',
  properties: {
    ...quality,
    unknown: {
      ...count,
      description: 'Entries that were left out, as the model does not know one of their rows.',
    },
    baselines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name, ...quality },
        required: ['name', 'rmse', 'mae', 'relative', 'entries'],
        additionalProperties: false,
      },
    },
  },
  required: ['rmse', 'mae', 'relative', 'entries', 'unknown', 'baselines'],
  additionalProperties: false,
} as const satisfies Schema
