/** The bytes of the copies that a run makes of what its engine holds: models and states. */
import { GROUP_MATRICES, type ProblemSize } from '../../engine/engine.ts'

/**
 * The sizes that determine the bytes of a copy: the reshaped modes, the rank, and what the engine holds per
 * row.
 */
type CopySize = Pick<ProblemSize, 'dims' | 'rank' | 'momentumFactors' | 'posterior'>

const rowsOf = ({ dims }: Pick<CopySize, 'dims'>): number => dims.reduce((sum, rows) => sum + rows, 0)

/** The bytes of a model: its factors, and the number, mean and sum of the entries of each row. */
export const modelBytes = (size: CopySize): number => rowsOf(size) * (4 * size.rank + 16)

/**
 * The bytes of a run's state: factors, snapshot and momentum factors; under a learned prior also the prior
 * mean and four numbers per row, and R² numbers per row or group of rows.
 */
export function stateBytes({ momentumFactors, posterior, ...size }: CopySize): number {
  const { rank } = size
  const factors = 4 * rank * (momentumFactors ? 3 : 2)
  const perRow = factors + (posterior ? 4 * (rank + 4) : 0)
  const matrices = { rows: rowsOf(size), groups: size.dims.length * GROUP_MATRICES }
  return rowsOf(size) * perRow + (posterior ? 4 * rank * rank * matrices[posterior] : 0)
}
