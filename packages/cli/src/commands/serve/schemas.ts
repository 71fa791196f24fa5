/** The schemas of requests and answers of `lacuna serve`. */
import type { Infer, Schema } from './schema.ts'

/** Longest label and name that a request may contain. */
const MOST_CHARACTERS = 10_000

const name = { type: 'string', maxLength: MOST_CHARACTERS } as const satisfies Schema
const count = { type: 'integer', minimum: 0 } as const satisfies Schema
const label = {
  anyOf: [name, { type: 'number' }, { type: 'boolean' }],
  description: 'Label of a row; its number from 1 in a mode without labels.',
} as const satisfies Schema
const cell = {
  anyOf: [
    { type: 'object', properties: {}, additionalProperties: label },
    { type: 'array', items: count },
  ],
  description: 'A cell: the label of each mode by its name, or one index from 0 per mode.',
} as const satisfies Schema
const entry = {
  type: 'object',
  properties: {},
  additionalProperties: label,
  description: 'An observed entry: the label of each mode by its name, and the value.',
} as const satisfies Schema
const columns = {
  type: 'object',
  properties: {},
  additionalProperties: { type: 'array', items: label },
  description: 'Columns of the same length, by name: faster than objects where there are many.',
} as const satisfies Schema
const entries = {
  anyOf: [{ type: 'array', items: entry, minItems: 1 }, columns],
} as const satisfies Schema
const cells = { anyOf: [{ type: 'array', items: cell }, columns] } as const satisfies Schema

/** A cell: a line of NDJSON to predict. */
export const cellLine = cell
export type Columns = Infer<typeof columns>
export type Cells = Infer<typeof cells>
export type Entry = Infer<typeof entry>
export type Entries = Infer<typeof entries>
const value = {
  ...name,
  description:
    'Property of entries that holds the value; by default the name of the training values, or value.',
} as const satisfies Schema
const rows = {
  type: 'integer',
  minimum: 1,
  maximum: 10_000,
  description: 'Number of rows; 10 by default.',
} as const
const minEntries = {
  ...count,
  description: 'Least number of training entries of a row; 1 by default.',
} as const
const clip = {
  type: 'boolean',
  description: 'Whether predictions are limited to the range of the training values; true by default.',
} as const
const number = { type: 'number' } as const satisfies Schema
const labelsByMode = {
  type: 'object',
  properties: {},
  additionalProperties: { type: 'array', items: { type: 'string' } },
  description: 'Labels of new rows by the name of their mode.',
} as const satisfies Schema

/** A question of `top`. */
export const topRequest = {
  type: 'object',
  properties: {
    of: { ...name, description: 'Mode whose rows are ranked.' },
    for: {
      type: 'object',
      properties: {},
      additionalProperties: label,
      description: 'Labels of fixed rows by the names of other modes; modes without one are averaged.',
    },
    n: rows,
    exclude: { type: 'array', items: label, description: 'Labels that are left out.' },
    minEntries,
    clip,
  },
  required: ['of'],
  additionalProperties: false,
} as const satisfies Schema

/** The answer to a question of `top`. */
export const topAnswer = {
  type: 'object',
  properties: {
    rows: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          row: { ...count, description: 'Index from 0.' },
          label: name,
          predicted: number,
          entries: count,
          mean: number,
          why: {
            type: 'array',
            items: {
              type: 'object',
              properties: { component: count, share: number, lift: number },
              required: ['component', 'share', 'lift'],
              additionalProperties: false,
            },
          },
        },
        required: ['row', 'label', 'predicted', 'why'],
        additionalProperties: false,
      },
    },
  },
  required: ['rows'],
  additionalProperties: false,
} as const satisfies Schema

const numbersOrNull = {
  type: 'array',
  items: { anyOf: [number, { type: 'null' }] },
} as const satisfies Schema
const interval = {
  type: 'number',
  description: 'Probability that an interval contains the value, between 0 and 1; only of ensembles.',
} as const

/** A question of `predict`. */
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

/** The answer to `predict`: one number per cell, and the ends of intervals if they were asked for. */
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

/** A question of `similar`. */
export const similarRequest = {
  type: 'object',
  properties: { mode: name, label, n: rows, minEntries },
  required: ['mode', 'label'],
  additionalProperties: false,
} as const satisfies Schema

/** The answer to `similar`. */
export const similarAnswer = {
  type: 'object',
  properties: {
    rows: {
      type: 'array',
      items: {
        type: 'object',
        properties: { row: count, label: name, similarity: number, entries: count },
        required: ['row', 'label', 'similarity'],
        additionalProperties: false,
      },
    },
  },
  required: ['rows'],
  additionalProperties: false,
} as const satisfies Schema

/** A question of `components`. */
export const componentsRequest = {
  type: 'object',
  properties: {
    strongest: { type: 'integer', minimum: 1, maximum: 1000, description: 'Rows per mode; 5 by default.' },
    minEntries,
  },
  additionalProperties: false,
} as const satisfies Schema

/** The answer to `components`. */
export const componentsAnswer = {
  type: 'object',
  properties: {
    components: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          number: count,
          share: number,
          found: {
            type: 'object',
            properties: { in: count, of: count },
            additionalProperties: number,
            description: 'In how many models of an ensemble the component is found.',
          },
          modes: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                name,
                strongest: {
                  type: 'array',
                  items: {
                    type: 'object',
                    properties: { row: count, label: name, weight: number, lift: number, entries: count },
                    required: ['row', 'label', 'weight', 'lift'],
                    additionalProperties: false,
                  },
                },
              },
              required: ['name', 'strongest'],
              additionalProperties: false,
            },
          },
        },
        required: ['number', 'share', 'modes'],
        additionalProperties: false,
      },
    },
  },
  required: ['components'],
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

/** The answer to a fold-in. */
export const foldInAnswer = {
  type: 'object',
  properties: { newRows: labelsByMode, top: topAnswer, predictions: numbersOrNull },
  required: ['newRows'],
  additionalProperties: false,
} as const satisfies Schema

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

/** Entries that predictions are compared with. */
export const evaluateRequest = {
  type: 'object',
  properties: { entries, value, clip },
  required: ['entries'],
  additionalProperties: false,
} as const satisfies Schema

const quality = { rmse: number, mae: number, relative: number, r2: number, entries: count } as const

/** The answer to `evaluate`. */
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

/** What is known of a served model. */
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

/** An error: one sentence that says what to do. */
export const errorAnswer = {
  type: 'object',
  properties: { error: { type: 'string' } },
  required: ['error'],
  additionalProperties: false,
} as const satisfies Schema
