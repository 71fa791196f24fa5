/** The trials of a search by cross-fitting, its options and its checkpoint. */

export { type AttemptOptions, FoldSearch } from './foldSearch.ts'
export { decodeSearch, encodeSearch, isSearch } from './foldsCheckpoint.ts'
export type { SearchCheckpointing, SearchOptions, SearchState } from './searchOptions.ts'
export { squaresOnFirst } from './trialErrors.ts'
