/** The functions of the kernel of cross-fitting (kernels/folds), as JavaScript calls them. */

/** The exports of the kernel; kernels/folds documents them. All arrays are addresses in its memory. */
export interface FoldKernelExports {
  memory: WebAssembly.Memory
  freeFrom(): number
  positionsOf(columns: number, strides: number, order: number, count: number, out: number): void
  fiberPositions(positions: number, count: number, stride: bigint, dim: bigint, out: number): void
  numberByPosition(positions: number, count: number, out: number): void
  numberByHash(
    positions: number,
    count: number,
    slots: number,
    mask: number,
    keys: number,
    out: number,
  ): number
  products(factors: number, columns: number, order: number, rank: number, count: number, out: number): void
  meanOf(predictions: number, models: number, folds: number, count: number, out: number): void
  residualsOf(values: number, predictions: number, count: number, least: number, out: number): void
  correct(
    values: number,
    folds: number,
    predictions: number,
    weights: number,
    features: number,
    size: number,
    count: number,
    out: number,
  ): number
  setField(
    modes: number,
    isDense: number,
    dims: number,
    strides: number,
    residuals: number,
    isKnown: number,
    sums: number,
    counts: number,
    slots: number,
    mask: number,
    keys: number,
  ): void
  setNeighbours(
    lagCount: number,
    lagModes: number,
    lags: number,
    cells: number,
    offsets: number,
    steps: number,
    reach: number,
  ): void
  setResiduals(
    count: number,
    cells: number,
    fibers: number,
    residuals: number,
    folds: number,
    without: number,
  ): void
  sumFeatures(
    from: number,
    to: number,
    folds: number,
    fold: number,
    columns: number,
    positions: number,
    cells: number,
    fibers: number,
    values: number,
    predictions: number,
    least: number,
    size: number,
    row: number,
    features: number,
    XX: number,
    Xr: number,
  ): void
  sumLags(
    positions: number,
    residuals: number,
    groups: number,
    count: number,
    dim: number,
    largest: number,
    stride: number,
    products: number,
    pairs: number,
  ): number
  addParts(values: number, count: number, parts: number, sum: number): number
  subtract(values: number, count: number, mean: number, out: number): void
  sumRows(column: number, values: number, count: number, counts: number, sums: number): void
  descend(
    residuals: number,
    count: number,
    columnBefore: number,
    stepsBefore: number,
    column: number,
    biases: number,
    sums: number,
  ): void
  addExact(x: number, y: number, count: number, counters: number): void
  multiplyModes(
    columns: number,
    order: number,
    values: number,
    count: number,
    matrices: number,
    R: number,
    sums: number,
  ): void
  curveSizes(
    predictions: number,
    count: number,
    knotPredictions: number,
    knotSizes: number,
    knots: number,
    out: number,
  ): void
  scaleRows(
    mode: number,
    order: number,
    columns: number,
    values: number,
    predictions: number,
    sizes: number,
    rows: number,
    count: number,
    sums: number,
  ): void
  scaleEntries(
    order: number,
    columns: number,
    values: number,
    predictions: number,
    sizes: number,
    rows: number,
    count: number,
    sums: number,
    counts: number,
    shrinkage: number,
    least: number,
    most: number,
    out: number,
  ): void
}
