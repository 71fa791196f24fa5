export {
  countsRemark,
  describeTensor,
  looksLikeCounts,
  rowsWithEntries,
  type TensorDescription,
} from './describe.ts'
export { type LeaveOneOutOptions, leaveOneOut } from './leaveOneOut.ts'
export { type Observed, observe, withZeros } from './observed.ts'
export {
  type DuplicatePolicy,
  type Mode,
  type ModeSource,
  type NegativePolicy,
  pickEntries,
  type SparseTensor,
  sparseTensor,
  type TensorOptions,
} from './sparseTensor.ts'
export { type Split, type SplitShares, split } from './split.ts'
export { type SplitByTimeOptions, splitByTime } from './splitByTime.ts'
export { splitCells } from './splitCells.ts'
export { type SyntheticOptions, type SyntheticProblem, synthetic } from './synthetic.ts'
export { type SyntheticRatingsOptions, syntheticRatings } from './syntheticRatings.ts'
export { type NestedArray, tensorFromArray } from './tensorFromArray.ts'
