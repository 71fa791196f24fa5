// The kernels of one padded rank, compiled with --use RANK=n. Everything works on the shared memory by raw
// addresses; nothing is allocated.
import { PARTIAL_BYTES } from "./step";

export { fillEmptyRows, scaleColumns, sumRows, sumSquares } from "./balance";
export { errorSums, valueSums, weightSums } from "./errorSums";
export { addToDigest, countPicked, countRows, hasFault, hashBlock, sumOfSquares } from "./loading";
export { orderChunks, orderScratchBytes } from "./order";
export { largestEigenvalue } from "./power";
export { below, draw } from "./random";
export { countSegments, placeRecords } from "./placing";
export { noiseMoments, startMoments, sumMoments } from "./posterior";
export { scratchBytes, setPosteriorScratch, setScratch } from "./scratch";
export { setFastStep, setNoise, setPaperStep, setPosterior, setRowNoise } from "./settings";
export { finishSharedRow, handedOver, handOver, step } from "./step";
export { fromPlaces, strataEpoch, toPlaces } from "./strata";
export { barrier } from "./threads";
export { topRows } from "./top";
export { addHalves, halveValues } from "./totals";
export { sumProducts } from "./zeros";

export function partialBytes(): usize { return PARTIAL_BYTES; }
