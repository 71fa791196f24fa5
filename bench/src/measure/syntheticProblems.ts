/** Synthetic problems on which solvers are compared. */
import { type SparseTensor, synthetic } from 'lacuna'
import { imageProblem } from './imageProblem.ts'

/** Training and test entries. */
interface ProblemData {
  tensor: SparseTensor
  test: SparseTensor
}

/** A problem on which solvers are compared. */
export interface BenchProblem {
  name: string
  rank: number
  /** Epochs of the paper's solver. */
  epochs: number
  /** Values of λ for the paper's solver, of which the best counts. */
  lambdas: readonly number[]
  /** Makes or reads the training and test entries. */
  make(): ProblemData | Promise<ProblemData>
}

/** A noiseless problem of the size of the paper's Uber data. */
const uberLike = (rank: number): BenchProblem => ({
  ...{ name: `uber-${rank}`, rank, epochs: rank > 10 ? 20 : 100, lambdas: [0.001] },
  make: () => makeSynthetic({ dims: [183, 24, 1140, 1717], entries: 3_309_490 }),
})

/**
 * A problem of the size of MovieLens 10M, or of a tenth of its users, items and ratings.
 * @param full whether it has the full size
 */
const movielensLike = (
  name: string,
  snrDb: number,
  lambdas: readonly number[],
  full: boolean,
): BenchProblem => ({
  ...{ name: full ? `${name}-full` : name, rank: 10, epochs: 100, lambdas },
  make: () =>
    makeSynthetic(
      full
        ? { dims: [71567, 65133, 730], entries: 10_000_054, snrDb }
        : { dims: [7157, 6513, 730], entries: 1_000_005, snrDb },
    ),
})

/** Makes a synthetic problem of rank 10 with 50,000 test entries. */
function makeSynthetic(options: { dims: number[]; entries: number; snrDb?: number }) {
  const { tensor, test } = synthetic({ ...options, rank: 10, seed: 1, testEntries: 50_000 })
  return { tensor, test: test! }
}

/**
 * Returns the paper's synthetic problems and an image.
 * @param full MovieLens 10M at its size, not at a tenth
 */
export function syntheticProblems(full: boolean): BenchProblem[] {
  return [
    movielensLike('noiseless', Infinity, [0.001, 0.01], full),
    movielensLike('20dB', 20, [0.01, 0.1, 1], full),
    movielensLike('10dB', 10, [0.1, 1, 3], full),
    ...[10, 30, 50].map(uberLike),
    { name: 'image', rank: 50, epochs: 40, lambdas: [0.001, 0.01], make: () => imageProblem(0.1, 1) },
  ]
}
