/**
 * lacuna/internal in a browser: what the studio needs beside the public API; no part of the API, and sorted
 * by path.
 */

export { concatenate } from './base/bytes.ts'
export { groupDigits } from './base/groupDigits.ts'
export {
  formatSentence,
  joinWithOr,
  type OptionMention,
  option,
  type Remark,
  type Sentence,
  sentence,
} from './base/inputError.ts'
export { findShapeFault, type Shape } from './base/jsonShape.ts'
export { draw, mix, purpose, stream, unit } from './base/random.ts'
export { float32Array, uint32Array } from './base/sharedArrays.ts'
export { Communicator, singleProcess } from './comm/index.ts'
export { CpuEngine, cpuEngine } from './engine/cpu/cpuEngine.ts'
export { CpuProblem } from './engine/cpu/cpuProblem.ts'
export { checkLimits } from './engine/cpu/memory/limits.ts'
export type { SetUpTimes } from './engine/cpu/setup/setUpTimes.ts'
export { LARGEST_RANK } from './engine/cpu/threads/kernel.ts'
export { hardwareThreads } from './engine/cpu/threads/platform.ts'
export type { EnginePlan, LoadedProblem, Loss, Noise, ProblemSize, Step } from './engine/engine.ts'
export { findAdapter } from './engine/gpu/adapter.ts'
export { autoEngine, GpuEngine, gpuEngine } from './engine/gpu/gpuEngine.ts'
export { countHidden } from './image/damage.ts'
export { drawFacade } from './image/facade.ts'
export { brightness, checkSameSize, fillHoles } from './image/picture.ts'
export { pixelTensor, pixelValues } from './image/pixelTensor.ts'
export {
  deepestFillable,
  findHoles,
  type Region,
  type RegionDraft,
  restoreRegions,
  tooLargeHoles,
} from './image/regions/index.ts'
export { paperSettings } from './image/restore.ts'
export { blacken, sideBySide } from './image/sideBySide.ts'
export { dataVariables, describeVariable, guessVariable } from './io/science/choose.ts'
export { openArrays } from './io/science/openArrays.ts'
export { readVariable } from './io/science/readVariable.ts'
export { arrowAsText } from './io/sheets/arrow.ts'
export { checkArrow } from './io/sheets/checkArrow.ts'
export { reasonOf } from './io/sheets/reason.ts'
export { indexPolicies } from './io/table/columns/modes.ts'
export { TimeColumn } from './io/table/columns/timeColumn.ts'
export { type ColumnSummary, guessValue, isRowNumber, isTime, summarizeColumns } from './io/table/guess.ts'
export { meltTable } from './io/table/melt.ts'
export { type MergePolicy, mergePolicies } from './io/table/readPlan.ts'
export { type RecipeName, recipeNames } from './io/table/recipes.ts'
export { isMissingMark } from './io/table/source/cells.ts'
export {
  findThousands,
  isMeasure,
  plainNumber,
  type Thousands,
  thousandsSigns,
} from './io/table/source/numberStyle.ts'
export {
  type Batch,
  type Cells,
  cellsOf,
  cellText,
  freeName,
  type TableColumn,
  type Texts,
  type Wanted,
} from './io/table/source/rows.ts'
export { isFilledRow, type SheetRow, sheetText } from './io/table/source/sheetText.ts'
export type { OutputColumn, OutputRow } from './io/table/writeRows.ts'
export {
  type FileKind,
  isTableKind,
  kindByName,
  packingByName,
  tableTextByName,
  unpackedEnding,
} from './io/text/fileKind.ts'
export { numberAsText } from './io/text/writeNumber.ts'
export { type Coordinates, readCoordinates } from './io/tns/index.ts'
export { SKIP_HESSIAN, SKIP_POWER_METHOD } from './kernels/solve/layout.ts'
export {
  type BinningName,
  binnings,
  type ColumnType,
  columnType,
  compileTimeFormat,
  isFraction,
  isNumeric,
  likelyFormats,
  timeBins,
} from './labels/index.ts'
export { coreConsistencyOf } from './model/answer/coreConsistency.ts'
export { type ModeKind, modeKinds } from './model/answer/modeKinds.ts'
export { valuesAlong } from './model/answer/top.ts'
export { componentShares } from './model/componentShares.ts'
export { align } from './model/ensemble/align.ts'
export type { Ordered } from './model/ensemble/neighbours/neighbours.ts'
export { RowIntervals } from './model/ensemble/rowIntervals.ts'
export { baselinesOnCells } from './model/evaluate/cellBaselines.ts'
export { meanError, testError } from './model/evaluate/testErrors.ts'
export {
  type BaselineError,
  baselinesByFolds,
  baselinesOnTest,
  compareWithBaselines,
  isWorthUsing,
} from './model/evaluate/verdict.ts'
export { labelOf, modeName } from './model/factored.ts'
export { factorModes } from './model/factorModes.ts'
export { type FactorView, factorView, joinLabels, rowsOfUnit, unobservedRowsOf } from './model/factorView.ts'
export { addLabels, extendTime, extendTo } from './model/forecast/extendTime.ts'
export { FEWEST_ORIGINS } from './model/forecast/forecastIntervals.ts'
export { LabelLookup } from './model/labelLookup.ts'
export type { TrainingRecord } from './model/modelFields.ts'
export { type LinkName, linkNames, linkScaleNames } from './model/predict/link.ts'
export { TensorModel } from './model/tensorModel.ts'
export { stepOf } from './solver/methods/fast.ts'
export { fixedStage } from './solver/methods/schedule.ts'
export { modelBytes, stateBytes } from './solver/run/copyBytes.ts'
export { priorRemark, sizeOfRun } from './solver/run/loadRun.ts'
export { explainStop } from './solver/run/stopping.ts'
export { type Chosen, chooseSettings } from './solver/select/choose.ts'
export { chooseByFolds } from './solver/select/chooseByFolds.ts'
export { type FoldsToPlan, planFolds } from './solver/select/crossFit/planFolds.ts'
export { isSearch } from './solver/select/search/foldsCheckpoint.ts'
export type { SearchOptions } from './solver/select/search/searchOptions.ts'
export {
  type Choice,
  type FoldChoice,
  type FoldTrial,
  type Selection,
  type Trial,
  type TrialSettings,
  trialName,
} from './solver/select/trials.ts'
export { choosesByDefault, settingsOf } from './solver/settings/options.ts'
export {
  defaults,
  lossNames,
  type Missing,
  missingNames,
  noiseNames,
  type Prior,
  priorNames,
  type SolverName,
  solverNames,
  timePriorNames,
} from './solver/settings/settings.ts'
export {
  type FeatureSets,
  featuresDigest,
  type Lags,
  type TimePrior,
} from './solver/settings/sideInformation.ts'
export { proposeLags } from './solver/time/proposeLags.ts'
export { timeAxis } from './solver/time/timeAxis.ts'
export { attributesOf } from './tensor/attributes.ts'
export { countsRemark, rowsWithEntries, type TensorDescription } from './tensor/describe.ts'
export { gapsOf } from './tensor/gaps.ts'
export { modeNumber } from './tensor/modeNumber.ts'
export { pickEntries } from './tensor/pickEntries.ts'
export {
  isReshaped,
  modesAsLearned,
  type ResolvedReshaping,
  reshapedModes,
  resolveReshaping,
  rowAt,
} from './tensor/reshape.ts'
export {
  type DuplicatePolicy,
  duplicatePolicies,
  MAX_ORDER,
  type NegativePolicy,
  negativePolicies,
} from './tensor/sparseTensor.ts'
export { type FoldBy, foldsOf, parseFoldBy } from './tensor/split/folds.ts'
export { foldGroupsOf } from './tensor/split/mixedGaps.ts'
export { cellsOf as cellsOfDims } from './tensor/split/pickCells.ts'
export { sampleCells, splitSampledFold } from './tensor/split/sampleCells.ts'
export type { Split, SplitFractions } from './tensor/split/split.ts'
export { splitCells } from './tensor/split/splitCells.ts'
