/** The CPU engine. */
export { CpuEngine, cpuEngine } from './cpuEngine.ts'
export { CpuProblem } from './cpuProblem.ts'
export { mostSampledRows } from './memory/areaSizes.ts'
export { costOf } from './memory/cost.ts'
export { MOST_LAGS } from './memory/layout.ts'
export { describePlan } from './memory/plan.ts'
export type { CpuEngineOptions } from './options.ts'
export { type OrderKeys, orderKeys, sortRecords } from './setup/place/order.ts'
export { leastWindow, segmentSize, writeFirstSegments } from './setup/place/segments.ts'
export {
  chooseScales,
  digestOf,
  emptyRowsOf,
  meanWeightsOf,
  refuseEntry,
  refuseWeightedZeros,
  resolveSize,
} from './setup/problemEntries.ts'
export { withUnknown } from './setup/zeros.ts'
export { FIRST_LAG_WEIGHT } from './steps/posterior/coupledRows.ts'
export { groupOf } from './steps/posterior/groups.ts'
export { invertPadded, shrinkOffDiagonal } from './steps/posterior/learnedMode.ts'
export { chooseNoisyMode, fitNoise, rowVariances } from './steps/posterior/noise.ts'
export * as posteriorNumbers from './steps/posterior/posteriorNumbers.ts'
export { firstSigma2, HUBER_DEVIATIONS, HUBER_FACTOR, LEAST_MEAN } from './steps/posterior/posteriorRules.ts'
export { TopEngine } from './steps/topRows.ts'
export { kernelCode, setKernel } from './threads/compileKernel.ts'
export { paddedRank } from './threads/kernel.ts'
export { canShareMemory, hardwareThreads } from './threads/platform.ts'
export { threadsForWork } from './threads/threadsForWork.ts'
