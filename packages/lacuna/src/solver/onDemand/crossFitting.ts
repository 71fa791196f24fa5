/** Cross-fitting, for dynamic imports alone, as settingsSearch.ts. */
export { completeByFolds } from '../select/completeByFolds.ts'
export { rankByFolds } from '../select/rankByFolds.ts'
