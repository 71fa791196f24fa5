/** Results of `lacuna paper`: the types and the reader of results.json, and means over its trials. */
export * from './averages.ts'
export { formatResults, parseResults } from './format.ts'
export * from './results.ts'
