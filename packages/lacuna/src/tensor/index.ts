/**
 * Sparse tensors: checks, duplicates, splits and folds, mode reshaping, distribution over processes,
 * synthetic data.
 */
export {
  cellChecks,
  checkDims,
  checkNotEmpty,
  checkPolicies,
  checkShape,
  checkSparseTensor,
  sparseTensor,
} from './checkTensor.ts'
export {
  countsRemark,
  describeTensor,
  looksLikeCounts,
  rowsWithEntries,
  type TensorDescription,
} from './describe.ts'
export { checkDeferred, deferDuplicateCheck } from './duplicates/deferredCheck.ts'
export { findDuplicates } from './duplicates/findDuplicates.ts'
export { refuseDuplicates } from './duplicates/mergeDuplicates.ts'
export { findEarliest, mergeShards } from './duplicates/mergeShards.ts'
export { timeStep } from './evenSteps.ts'
export { fitToDims } from './fitToDims.ts'
export { gapsOf, groupNumbers } from './gaps.ts'
export { modeNumber } from './modeNumber.ts'
export {
  extremesOf,
  type Observed,
  observe,
  observedOf,
  type RowTotals,
  rowTotals,
  unitOf,
  withZeros,
} from './observed.ts'
export { cOrderOf, orderByModes, sortInCOrder } from './order/cOrder.ts'
export { pickEntries, pickNumbers } from './pickEntries.ts'
export {
  checkReshaping,
  type Digit,
  digitTerm,
  isReshaped,
  type ModeReshaping,
  type ModeSplit,
  mergeText,
  modesAsLearned,
  type ReshapedModes,
  type ResolvedReshaping,
  refuseGaps,
  reshapeColumns,
  reshapedModes,
  reshapeTensor,
  resolveReshaping,
  rowAt,
  splitText,
  unobservedRows,
  wholeMode,
} from './reshape.ts'
export {
  countEntries,
  originOf,
  type ScatteredEntries,
  scatterByHash,
  scatterTensor,
} from './scatter.ts'
export {
  type DuplicatePolicy,
  largestPlusOne,
  MAX_INDEX,
  MAX_ORDER,
  type Mode,
  type ModeSource,
  type NegativePolicy,
  type SparseTensor,
  type TensorOptions,
  tensorBytes,
} from './sparseTensor.ts'
export {
  byEntry,
  describeFoldBy,
  entriesOfFold,
  type FoldBy,
  foldByText,
  foldsOf,
  groupHashes,
  isByEntry,
  refuseRepeatedModes,
  splitFold,
  wholeModes,
} from './split/folds.ts'
export { type LeaveOneOutOptions, leaveOneOut } from './split/leaveOneOut.ts'
export { foldGroupsOf } from './split/mixedGaps.ts'
export { cellsOf } from './split/pickCells.ts'
export { type SampledCells, sampleCells, sampleSize, splitSampledFold } from './split/sampleCells.ts'
export { type Split, type SplitFractions, split, splitShard } from './split/split.ts'
export { type SplitByTimeOptions, splitByTime } from './split/splitByTime.ts'
export { splitCells, splitShardCells } from './split/splitCells.ts'
export { type SyntheticOptions, type SyntheticProblem, synthetic } from './synthetic/synthetic.ts'
export { type SyntheticRatingsOptions, syntheticRatings } from './synthetic/syntheticRatings.ts'
export { type NestedArray, tensorFromArray } from './tensorFromArray.ts'
