// The kernel of cross-fitting: the loops over entries of the stages from models to an ensemble. The host
// (model/foldKernel.ts) chooses all addresses. Sums are in float64 and in the order of the entries, as they
// would be in JavaScript, so that the host may do any part itself with the same bits.
export { multiplyModes } from "./core";
export { addExact, addParts, sumLags, descend, subtract, sumRows } from "./sums";
export { curveSizes, scaleEntries, scaleRows } from "./scale";
export { fiberPositions, numberByHash, numberByPosition, positionsOf } from "./numbers";
export { correct, meanOf, products, residualsOf } from "./predictions";
export { setField, setNeighbours, setResiduals, sumFeatures } from "./features";

/** The first address, a multiple of 16, of the memory that the host may use. */
export function freeFrom(): usize { return (__heap_base + 15) & ~15; }
