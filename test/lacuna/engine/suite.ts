/**
 * The checks that every engine must pass, against the references. An engine's own test file runs these checks
 * with its constructor, in Node or in a page: nothing here belongs to a test framework.
 */
import type { EngineCheck } from './check.ts'
import { entryChecks } from './entryChecks.ts'
import { stateChecks } from './stateChecks.ts'
import { stepChecks } from './stepChecks.ts'
import { zeroChecks } from './zeroChecks.ts'

export type { EngineCheck, Variant, VariantCheck } from './check.ts'
export { shuffleEntries } from './entrySets.ts'
export { keepOpen, type MakeEngine, skipComparisons, tryFewerProblems } from './judge.ts'
export { briefVariantChecks, variantChecks } from './variantChecks.ts'

/** All checks of a single engine. */
export const engineChecks: EngineCheck[] = [...stepChecks, ...zeroChecks, ...entryChecks, ...stateChecks]
