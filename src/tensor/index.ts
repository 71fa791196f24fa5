export {
  type DuplicatePolicy,
  type NegativePolicy,
  pickEntries,
  type SparseTensor,
  sparseTensor,
  type TensorOptions,
} from './sparseTensor.ts'
export { type Split, type SplitShares, split } from './split.ts'
