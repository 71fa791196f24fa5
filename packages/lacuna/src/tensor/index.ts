export {
  countsRemark,
  describeTensor,
  looksLikeCounts,
  rowsWithEntries,
  type TensorDescription,
} from './describe.ts'
export { fitToDims } from './fitToDims.ts'
export { gapsOf } from './gaps.ts'
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
export { inCOrder } from './order/cOrder.ts'
export { findDuplicates } from './order/findDuplicates.ts'
export { putOffRepetitionCheck, repetitionCheck } from './order/repetition.ts'
export {
  checkReshaping,
  type Digit,
  isReshaped,
  type ModeReshaping,
  mergeText,
  modesAsLearned,
  partOf,
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
export { countEntries } from './shards/countEntries.ts'
export { type Fault, firstFault, refuseFirst } from './shards/faults.ts'
export { dealByHash, earliest, mergeShares, originOf } from './shards/mergeShards.ts'
export { dealOut } from './shards/scatter.ts'
export { splitCellShares } from './shards/splitShardCells.ts'
export { splitShares } from './shards/splitShards.ts'
export {
  cellChecks,
  checkDims,
  checkNotEmpty,
  checkPolicies,
  checkShape,
  type DuplicatePolicy,
  knownTensor,
  largestPlusOne,
  MAX_INDEX,
  MAX_ORDER,
  type Mode,
  type ModeSource,
  type NegativePolicy,
  pickEntries,
  refuseRepetitionLater,
  type SparseTensor,
  sparseTensor,
  sparseTensorToSort,
  type TensorOptions,
} from './sparseTensor.ts'
export { describeFoldBy, type FoldBy, foldByText, foldsOf, splitFold } from './split/folds.ts'
export { type LeaveOneOutOptions, leaveOneOut } from './split/leaveOneOut.ts'
export { cellsOf } from './split/pickCells.ts'
export { type Split, type SplitFractions, split } from './split/split.ts'
export { type SplitByTimeOptions, splitByTime } from './split/splitByTime.ts'
export { splitCells } from './split/splitCells.ts'
export { type SyntheticOptions, type SyntheticProblem, synthetic } from './synthetic/synthetic.ts'
export { type SyntheticRatingsOptions, syntheticRatings } from './synthetic/syntheticRatings.ts'
export { type NestedArray, tensorFromArray } from './tensorFromArray.ts'
