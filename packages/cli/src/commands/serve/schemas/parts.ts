/** Parts that several schemas have in common: names, labels, cells, entries and options. */
import type { Infer, Schema } from './schema.ts'

/** Longest label and name that a request may contain. */
const MOST_CHARACTERS = 10_000

export const name = { type: 'string', maxLength: MOST_CHARACTERS } as const satisfies Schema
export const count = { type: 'integer', minimum: 0 } as const satisfies Schema
export const label = {
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
export const entries = {
  anyOf: [{ type: 'array', items: entry, minItems: 1 }, columns],
} as const satisfies Schema
export const cells = { anyOf: [{ type: 'array', items: cell }, columns] } as const satisfies Schema

/** A cell: a line of NDJSON to predict. */
export const cellLine = cell
export type Columns = Infer<typeof columns>
export type Cells = Infer<typeof cells>
export type Entry = Infer<typeof entry>
export type Entries = Infer<typeof entries>
export const value = {
  ...name,
  description:
    'Property of entries that holds the value; by default the name of the training values, or value.',
} as const satisfies Schema
export const rows = {
  type: 'integer',
  minimum: 1,
  maximum: 10_000,
  description: 'Number of rows; 10 by default.',
} as const
export const minEntries = {
  ...count,
  description: 'Least number of training entries of a row; 1 by default.',
} as const
export const clip = {
  type: 'boolean',
  description: 'Whether predictions are limited to the range of the training values; true by default.',
} as const
export const number = { type: 'number' } as const satisfies Schema
export const labelsByMode = {
  type: 'object',
  properties: {},
  additionalProperties: { type: 'array', items: { type: 'string' } },
  description: 'Labels of new rows by the name of their mode.',
} as const satisfies Schema

export const numbersOrNull = {
  type: 'array',
  items: { anyOf: [number, { type: 'null' }] },
} as const satisfies Schema
