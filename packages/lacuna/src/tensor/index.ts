export {
  countsRemark,
  describeTensor,
  looksLikeCounts,
  rowsWithEntries,
  type TensorDescription,
} from './describe.ts'
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
export { type LeaveOneOutOptions, leaveOneOut } from './split/leaveOneOut.ts'
export { type Split, type SplitFractions, split } from './split/split.ts'
export { type SplitByTimeOptions, splitByTime } from './split/splitByTime.ts'
export { splitCells } from './split/splitCells.ts'
export { type SyntheticOptions, type SyntheticProblem, synthetic } from './synthetic/synthetic.ts'
export { type SyntheticRatingsOptions, syntheticRatings } from './synthetic/syntheticRatings.ts'
export { type NestedArray, tensorFromArray } from './tensorFromArray.ts'
