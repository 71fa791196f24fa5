/** The schemas of requests and answers of `lacuna serve`, and the check of a value against a schema. */
export { type Cells, type Columns, cellLine, type Entries, type Entry } from './parts.ts'
export * from './prediction.ts'
export * from './ranking.ts'
export * from './schema.ts'
export * from './served.ts'
