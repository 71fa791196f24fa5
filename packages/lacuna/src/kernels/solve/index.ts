// The kernels of one padded rank, compiled with --use RANK=n. Everything works on the shared memory by raw
// addresses; nothing is allocated.
import { PARTIAL_BYTES } from "./rows/step";

export { fillEmptyRows, scaleColumns, sumRows, sumSquares } from "./balance";
export { errorSums, valueSums, weightSums } from "./errorSums";
export { addToDigest, countPicked, countRows, hasFault, hashBlock, sumOfSquares } from "./setup/loading";
export { orderChunks, orderScratchBytes } from "./setup/order";
export { largestEigenvalue } from "./rows/power";
export { below, draw } from "./random";
export { countSegments, placeRecords } from "./setup/placing";
export { noiseMoments, startMoments, sumMoments } from "./rows/posterior";
export { scratchBytes, setPosteriorScratch, setScratch } from "./scratch";
export { setFastStep, setNoise, setPaperStep, setPosterior, setRowNoise } from "./settings";
export { finishSharedRow, handedOver, handOver, step } from "./rows/step";
export { fromPlaces, strataEpoch, toPlaces } from "./strata";
export { barrier } from "./threads";
export { topRows } from "./top";
export { addHalves, halveValues } from "./setup/totals";
export { sumProducts } from "./setup/zeros";

export function partialBytes(): usize { return PARTIAL_BYTES; }
