/** Schemas of updates, of reloading, of the descriptions of served models, and of errors. */
import { count, type Entry, entries, labelsByMode, name, number, value } from './parts.ts'
import type { Infer, Schema } from './schema.ts'

/** New entries that the model learns from. */
export const updateRequest = {
  type: 'object',
  properties: { entries, value },
  required: ['entries'],
  additionalProperties: false,
} as const satisfies Schema
/** An update, with its entries as a list. */
export type UpdateRequest = Omit<Infer<typeof updateRequest>, 'entries'> & {
  readonly entries: readonly Entry[]
}

/** The acknowledgement of an update: it is on the disk, and every later answer includes it. */
export const updateAnswer = {
  type: 'object',
  properties: {
    sequence: { ...count, description: 'Number of this update, from 1.' },
    entries: count,
    newRows: labelsByMode,
  },
  required: ['sequence', 'entries', 'newRows'],
  additionalProperties: false,
} as const satisfies Schema

/** How a model is read again. */
export const reloadRequest = {
  type: 'object',
  properties: {
    discard: {
      type: 'boolean',
      description: 'Whether updates of another version of the file are set aside; refused by default.',
    },
  },
  additionalProperties: false,
} as const satisfies Schema

/** Answer schema: the description of a served model. */
export const modelAnswer = {
  type: 'object',
  properties: {
    name,
    modes: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name, size: count, first: name, last: name },
        required: ['name', 'size', 'first', 'last'],
        additionalProperties: false,
      },
    },
    rank: count,
    members: { ...count, description: 'Models of an ensemble; 1 for a single one.' },
    value: { ...name, description: 'Property of entries that holds the value.' },
    entries: { ...count, description: 'Training entries, if known.' },
    range: { type: 'array', items: number, description: 'Smallest and largest training value, if known.' },
    updates: { ...count, description: 'Updates that the model includes.' },
    isReadOnly: { type: 'boolean' },
  },
  required: ['name', 'modes', 'rank', 'members', 'value', 'updates', 'isReadOnly'],
  additionalProperties: false,
} as const satisfies Schema
export type ModelAnswer = Infer<typeof modelAnswer>

/** All served models. */
export const modelsAnswer = {
  type: 'object',
  properties: { models: { type: 'array', items: modelAnswer } },
  required: ['models'],
  additionalProperties: false,
} as const satisfies Schema

/** An error: one sentence about what is wrong and what to do. */
export const errorAnswer = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
  additionalProperties: false,
} as const satisfies Schema
