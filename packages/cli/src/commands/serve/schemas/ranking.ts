/** Schemas of the operations that rank rows and describe components: `top`, `similar` and `components`. */
import { clip, count, label, minEntries, name, number, rows } from './parts.ts'
import type { Schema } from './schema.ts'

/** Request schema of `top`. */
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

/** Answer schema of `top`. */
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

/** Request schema of `similar`. */
export const similarRequest = {
  type: 'object',
  properties: { mode: name, label, n: rows, minEntries },
  required: ['mode', 'label'],
  additionalProperties: false,
} as const satisfies Schema

/** Answer schema of `similar`. */
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

/** Request schema of `components`. */
export const componentsRequest = {
  type: 'object',
  properties: {
    strongest: { type: 'integer', minimum: 1, maximum: 1000, description: 'Rows per mode; 5 by default.' },
    minEntries,
  },
  additionalProperties: false,
} as const satisfies Schema

/** Answer schema of `components`. */
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
