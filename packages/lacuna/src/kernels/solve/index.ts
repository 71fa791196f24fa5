// The kernels of one padded rank, compiled with --use RANK=n. Everything works on the shared memory by raw
// addresses; nothing is allocated.

export { fillEmptyRows, scaleColumns, sumRows, sumSquares } from "./balance";
export { errorSums, valueSums, weightSums } from "./errorSums";
export { copyRun, countRun } from "./setup/cells";
export { addToDigest, countProbeRows, countRows, hasFault, hashBlock, sumOfSquares } from "./setup/count";
export { sortChunks, sortScratchBytes } from "./setup/sort";
export { largestEigenvalue } from "./rows/power";
export { below, draw } from "./random";
export { countSegments, placeRecords } from "./setup/place";
export { sumOuterProducts } from "./rows/groups";
export { noiseMoments, startMoments, sumMoments } from "./rows/posterior";
export { scratchBytes, setPosteriorScratch, setScratch, sumBytesFor } from "./scratch";
export { setFastStep, setNoise, setPaperStep, setPosterior, setRowNoise } from "./settings";
export { finishSharedRow, countPartialSums, writePartialSums, step } from "./rows/step";
export { fromBlockOrder, strataEpoch, toBlockOrder } from "./strata";
export { barrier } from "./threads";
export { topRows } from "./top";
export { addSplitValues, splitValues } from "./setup/totals";
export { sumProducts } from "./setup/zeros";
