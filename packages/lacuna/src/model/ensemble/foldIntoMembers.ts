/** Fold-in of new entries into the members of an ensemble, with what intervals are computed from. */
import { observe, type SparseTensor } from '../../tensor/index.ts'
import { CpModel } from '../cpModel.ts'
import { mergeObserved, trainingCounts } from '../foldIn/trainingStatistics.ts'
import type { TensorModelFields } from '../modelFields.ts'
import type { Intervals } from './intervals.ts'

/** The members of an ensemble, and what changes with their rows. */
interface Members extends Pick<TensorModelFields, 'dims' | 'labels' | 'observed'> {
  members: readonly CpModel[]
  intervals?: Intervals
}

/**
 * Returns the members with the rows of new entries, which each of them solves by itself.
 * Throws if modes of a member were split, or rows of merged modes are to be updated.
 * @param entries aligned to the ensemble
 * @param update whether existing rows are updated, too
 */
export function foldIntoMembers(
  {
    members,
    labels,
    modes,
    observed,
    intervals,
    unobserved,
  }: Members & Pick<CpModel, 'modes' | 'unobserved'>,
  entries: SparseTensor,
  update: boolean,
): Members {
  const folded = members.map((member) =>
    new CpModel({ ...member.fields, labels, modes }).foldIn(entries, { update }),
  )
  const [{ dims, labels: extended, prior }] = folded
  const before = { dims: members[0].dims, observed, unobserved, prior: prior ?? { kind: 'isotropic' } }
  const counts = trainingCounts(before, dims)
  const isSolved = (mode: number, row: number): boolean => update || counts[mode][row] === 0
  return {
    ...{ dims, labels: extended },
    members: folded.map(({ fields }) => new CpModel({ ...fields, labels: undefined, modes: undefined })),
    ...(observed && {
      observed: mergeObserved({ ...before, observed }, observe({ ...entries, dims }), dims, isSolved),
    }),
    ...(intervals && { intervals: extendIntervals(intervals, dims) }),
  }
}

/** Intervals of an ensemble with more rows, whose residuals count as of the usual size. */
const extendIntervals = ({ scale, ...rest }: Intervals, dims: readonly number[]): Intervals => ({
  ...rest,
  scale: {
    ...scale,
    rows: scale.rows.map((factors, mode) => {
      const longer = new Float32Array(dims[mode]).fill(1)
      longer.set(factors)
      return longer
    }),
  },
})
