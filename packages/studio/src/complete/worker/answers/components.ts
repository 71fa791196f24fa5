/** The components of a model, reduced to what the page shows. */
import {
  componentShares,
  factorView,
  type ModeKind,
  modeKinds,
  rowsOfUnit,
  type TensorModel,
} from 'lacuna/internal'
import type { Component, ComponentMode, ProfilePoint } from '../../answers.ts'
import { isTimeMode, modeTitle } from '../summary.ts'
import type { RowNames } from './rowNames.ts'

/** The number of characteristic rows that are shown per mode of a component. */
const STRONGEST = 8
/** The largest number of points of a component's profile. */
const PROFILE_POINTS = 120

/** Returns the components for the page, by decreasing share of the predictions. */
export function listComponents(model: TensorModel, names: RowNames): Component[] {
  const view = factorView(model)
  const kinds = modeKinds(model)
  const usual = view.units.map((_, k) => usualProfile(model, k))
  return model.components({ strongest: STRONGEST }).map(({ number, share, found, modes }) => ({
    number,
    share,
    found,
    modes: modes.map(({ name, modes: unit, strongest, profile }, k): ComponentMode => {
      const texts = (row: number): string[] =>
        rowsOfUnit(model, unit, row).map((own, i) => names.text(unit[i], own))
      return {
        name: model.modes ? name : unit.map((mode) => modeTitle(model, mode)).join(' × '),
        modes: unit,
        size: profile.length,
        isOrdered: isOrderedUnit(model, unit, kinds[k]),
        isPlace: kinds[k].place !== undefined,
        strongest: strongest
          .map(({ row, weight, lift, entries }) => {
            const labels = texts(row)
            return { label: labels.join(' × '), labels, weight, lift, entries }
          })
          .sort((a, b) => b.weight - a.weight),
        profile: reduceProfile(profile, usual[k], (row) => texts(row).join(' × ')),
      }
    }),
  }))
}

/** Whether the order of the rows of a unit means something. */
const isOrderedUnit = (model: TensorModel, unit: readonly number[], kind: ModeKind): boolean =>
  unit.length === 1 && (kind.kind === 'ordered' || isTimeMode(model.modes?.[unit[0]]))

/** All components together in each row of a unit, relative to the largest; 0 in rows without entries. */
function usualProfile(model: TensorModel, k: number): Float64Array {
  const view = factorView(model)
  const [{ rank, factors }] = view.members
  const { means } = componentShares(view)
  const others = Array.from({ length: rank }, (_, r) =>
    means.reduce((product, mean, m) => (m === k ? product : product * mean[r]), 1),
  )
  const total = Float64Array.from({ length: view.dims[k] }, (_, row) => {
    let sum = 0
    for (let r = 0; r < rank; r++) sum += others[r] * factors[k][row * rank + r]
    return sum
  })
  for (const row of view.unobserved[k]) total[row] = 0
  const top = total.reduce((most, x) => Math.max(most, x), 0)
  return top > 0 ? total.map((x) => x / top) : total
}

/** Reduces a profile to PROFILE_POINTS points: the row of the largest value in each interval of rows. */
export function reduceProfile(
  profile: ArrayLike<number>,
  usual: ArrayLike<number>,
  label: (row: number) => string,
): ProfilePoint[] {
  const step = Math.max(1, profile.length / PROFILE_POINTS)
  return Array.from({ length: Math.min(profile.length, PROFILE_POINTS) }, (_, p) => {
    const first = Math.floor(p * step)
    let peak = first
    for (let row = first; row < Math.floor((p + 1) * step); row++)
      if (profile[row] > profile[peak]) peak = row
    return { row: first, label: label(peak), value: profile[peak], usual: usual[peak] }
  })
}
