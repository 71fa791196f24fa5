/** lacuna/answers: evaluation, rankings for all rows and filled slices, and the types of models' answers. In Node and in browsers. */
export {
  type Component,
  type Evaluation,
  evaluate,
  evaluateRanking,
  type FilledSlice,
  fillSlice,
  type ModeErrors,
  type Predictor,
  type Quality,
  type Ranked,
  type RankingEvaluation,
  type Similar,
  type TopBatch,
  type TopOptions,
  topForAll,
  type Variance,
} from './model/index.ts'
export type { Observed } from './tensor/index.ts'
