/**
 * A view of a model with one factor per unit: a mode of the tensor, or several that were merged. The factors
 * of a split mode are multiplied.
 */
import { InputError } from '../base/inputError.ts'
import { digitTerm, modesAsLearned, type ReshapedModes, unobservedRows } from '../tensor/index.ts'
import { type Factored, labelOf, leadingMembers, modeName, type Predictor } from './factored.ts'

/** A model whose modes are units: each has one factor, and is a mode of the tensor or several merged ones. */
export interface FactorView extends Predictor {
  /** For each unit, the tensor's modes that it stands for: one, or several that were merged. */
  readonly units: readonly (readonly number[])[]
  /** For each unit, the training entries of its rows; undefined if not known, as for merged modes. */
  readonly counts: readonly (Uint32Array | undefined)[]
}

/** Cache of `factorView`, by model. */
const views = new WeakMap<Predictor, FactorView>()
/** Cache of `multiplySplitFactors`, by member. */
const multipliedMembers = new WeakMap<Factored, Factored>()

/**
 * Returns the view of a model with one factor per unit, cached by model; of a combination of candidates, the
 * view of the best one. Without merged or split modes, units are the tensor's modes and factors the model's
 * own.
 */
export function factorView(model: Predictor): FactorView {
  const cached = views.get(model)
  if (cached) return cached
  const [{ reshapedModes }] = model.members
  const view = reshapedModes ? viewOfUnits(model, reshapedModes) : viewOfModes(model)
  views.set(model, view)
  return view
}

/**
 * Returns a view whose units are the modes of the tensor and whose members are all of the model's, for
 * predictions, whatever modes they have merged or split.
 */
export function viewOfPredictions(model: Predictor): FactorView {
  const { dims, labels, modes, observed, members, weights } = model
  const units = dims.map((_, mode) => [mode])
  const counts = observed?.counts ?? dims.map(() => undefined)
  const unobserved = unobservedRowsOf(model)
  return { dims, labels, modes, observed, unobserved, members, weights, units, counts }
}

/** Returns the view of a model with one factor per mode of the tensor; throws if modes were merged. */
export function requireUnmerged(model: Predictor): FactorView {
  const view = factorView(model)
  const merged = view.units.find(({ length }) => length > 1)
  if (!merged) return view
  const names = merged.map((mode) => modeName(model, mode))
  throw new InputError(
    'option',
    `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]} were learned as one mode, and this asks for each by itself; such a model can predict, evaluate, fill, rank rows for one question and tell its components.`,
  )
}

/** Per mode of the tensor, the rows without training entries, also where modes were merged or split. */
export const unobservedRowsOf = (
  model: Pick<Predictor, 'dims' | 'unobserved' | 'reshapedModes'>,
): readonly Uint32Array[] =>
  model.reshapedModes ? unobservedRows(model.reshapedModes, model.unobserved, model.dims) : model.unobserved

/**
 * Returns the row of each of a unit's modes that a row of the unit stands for; the last mode varies fastest.
 * @param unit the modes of the unit
 * @param row from 0
 */
export function rowsOfUnit({ dims }: Predictor, unit: readonly number[], row: number): number[] {
  const rows: number[] = []
  let rest = row
  for (const mode of [...unit].reverse()) {
    rows.unshift(rest % dims[mode])
    rest = Math.floor(rest / dims[mode])
  }
  return rows
}

/** Joins the labels or the names of merged modes to one: a × b. */
export const joinLabels = (parts: readonly string[]): string => parts.join(' × ')

/** The labels of a unit's row, one per mode of the unit. */
export const labelsOfUnit = (model: Predictor, unit: readonly number[], row: number): string[] =>
  rowsOfUnit(model, unit, row).map((own, i) => labelOf(model, unit[i], own))

/** The view of a model without merged or split modes: each mode is a unit. */
function viewOfModes(model: Predictor): FactorView {
  const { dims, labels, modes, observed, unobserved } = model
  const members = leadingMembers(model)
  const counts = observed?.counts ?? dims.map(() => undefined)
  return { dims, labels, modes, observed, unobserved, members, units: dims.map((_, mode) => [mode]), counts }
}

/** The view of a model with merged or split modes. */
function viewOfUnits(model: Predictor, reshapedModes: ReshapedModes): FactorView {
  const { dims, labels, modes, observed } = model
  const units = unitsOf(reshapedModes)
  const isMerged = units.length < dims.length
  const unobserved = unobservedRowsOf(model)
  const factorOf = (unit: readonly number[]): number =>
    reshapedModes.digits.findIndex(([{ mode }]) => mode === unit[0])
  return {
    dims: units.map((unit) => unit.reduce((product, mode) => product * dims[mode], 1)),
    labels: labels && units.map((unit) => (unit.length > 1 ? undefined : labels[unit[0]])),
    modes: isMerged ? units.map((unit) => unitMode(model, unit)) : modes,
    ...(observed && !isMerged && { observed }),
    unobserved: units.map((unit) =>
      unit.length > 1 ? model.unobserved[factorOf(unit)] : unobserved[unit[0]],
    ),
    members: leadingMembers(model).map(multiplySplitFactors),
    units,
    counts: units.map((unit) => (unit.length > 1 ? undefined : observed?.counts[unit[0]])),
  }
}

/** Name and source of a unit; merged modes have their names, joined by ×, and no source. */
const unitMode = (model: Predictor, unit: readonly number[]): NonNullable<Predictor['modes']>[number] =>
  unit.length === 1 && model.modes
    ? model.modes[unit[0]]
    : { name: joinLabels(unit.map((mode) => modeName(model, mode))) }

/** The units of a reshaping, each a list of modes: those of each factor, with a split mode once. */
function unitsOf({ digits }: ReshapedModes): number[][] {
  const units = digits.map((parts) => parts.map(({ mode }) => mode))
  return units.filter(([mode], k) => units.findIndex(([first]) => first === mode) === k)
}

/**
 * Returns a member of a model (one of the sets of factors whose predictions are averaged) with one factor
 * (rows of the unit × R) per unit; cached by member. A row of a split mode is the elementwise product of the
 * rows of its factors; other factors stay as they are.
 */
function multiplySplitFactors(member: Factored): Factored {
  if (!member.reshapedModes) return member
  const cached = multipliedMembers.get(member)
  if (cached) return cached
  const { rank, factors, dims, link } = member
  const { digits } = modesAsLearned(member)
  const unitFactors = unitsOf(member.reshapedModes).map((unit) => {
    const parts = digits.flatMap((all, k) => (all[0].mode === unit[0] ? [{ digit: all[0], k }] : []))
    if (parts.length === 1) return factors[parts[0].k]
    const product = new Float32Array(dims[unit[0]] * rank)
    for (let row = 0; row < dims[unit[0]]; row++)
      for (let r = 0; r < rank; r++) {
        let value = 1
        for (const { digit, k } of parts) value *= factors[k][digitTerm(digit, row) * rank + r]
        product[row * rank + r] = value
      }
    return product
  })
  const dimsOfUnits = unitFactors.map(({ length }) => length / rank)
  const multiplied = { rank, factors: unitFactors, dims: dimsOfUnits, link }
  multipliedMembers.set(member, multiplied)
  return multiplied
}
