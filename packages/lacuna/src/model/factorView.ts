/**
 * A view of a model with one factor per mode: factors of a split mode are multiplied, merged modes are one
 * mode.
 */
import { InputError } from '../base/inputError.ts'
import { digitTerm, modesAsLearned, type ReshapedModes, unobservedRows } from '../tensor/index.ts'
import { type Factored, labelOf, modeName, type Predictor } from './factored.ts'

/** A model whose modes are those of its factors. */
export interface FactorView extends Predictor {
  /** For each mode, the modes of the model that it stands for: one, or several that were merged. */
  readonly units: readonly (readonly number[])[]
  /** For each mode, the entries of its rows, if known; they are not for merged modes. */
  readonly counts: readonly (Uint32Array | undefined)[]
}

/** Views that were made before, by model. */
const views = new WeakMap<Predictor, FactorView>()
/** Multiplied factors that were made before, by member. */
const multiplied = new WeakMap<Factored, Factored>()

/**
 * The view of a model with one factor per mode; made once per model. A model without mode reshaping has its
 * own factors.
 */
export function factorView(model: Predictor): FactorView {
  const found = views.get(model)
  if (found) return found
  const [{ reshapedModes }] = model.members
  const view = reshapedModes ? viewOfUnits(model, reshapedModes) : viewOfModes(model)
  views.set(model, view)
  return view
}

/**
 * The view of a model for questions that need a factor for each of its modes; refuses models with merged
 * modes.
 */
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

/** Per mode of the tensor, the rows without training entries. */
export const unobservedRowsOf = (
  model: Pick<Predictor, 'dims' | 'unobserved' | 'reshapedModes'>,
): readonly Uint32Array[] =>
  model.reshapedModes ? unobservedRows(model.reshapedModes, model.unobserved, model.dims) : model.unobserved

/** The rows of the tensor's modes that a row of a unit stands for. */
export function rowsOfUnit({ dims }: Predictor, unit: readonly number[], row: number): number[] {
  const rows: number[] = []
  let rest = row
  for (const mode of [...unit].reverse()) {
    rows.unshift(rest % dims[mode])
    rest = Math.floor(rest / dims[mode])
  }
  return rows
}

/** Labels of merged modes as one: a × b. */
export const joinLabels = (parts: readonly string[]): string => parts.join(' × ')

/** The labels of a unit's row, one per mode. */
export const labelsOfUnit = (model: Predictor, unit: readonly number[], row: number): string[] =>
  rowsOfUnit(model, unit, row).map((own, i) => labelOf(model, unit[i], own))

function viewOfModes(model: Predictor): FactorView {
  const { dims, labels, modes, observed, unobserved, members } = model
  const counts = observed?.counts ?? dims.map(() => undefined)
  return { dims, labels, modes, observed, unobserved, members, units: dims.map((_, mode) => [mode]), counts }
}

function viewOfUnits(model: Predictor, reshapedModes: ReshapedModes): FactorView {
  const { dims, labels, modes, observed, members } = model
  const units = unitsOf(reshapedModes)
  const isMerged = units.length < dims.length
  const unobserved = unobservedRowsOf(model)
  const factorOf = (unit: readonly number[]): number =>
    reshapedModes.digits.findIndex(([{ mode }]) => mode === unit[0])
  return {
    dims: units.map((unit) => unit.reduce((product, mode) => product * dims[mode], 1)),
    labels: labels && units.map((unit) => (unit.length > 1 ? undefined : labels[unit[0]])),
    modes: isMerged ? units.map((unit) => modeOf(model, unit)) : modes,
    ...(observed && !isMerged && { observed }),
    unobserved: units.map((unit) =>
      unit.length > 1 ? model.unobserved[factorOf(unit)] : unobserved[unit[0]],
    ),
    members: members.map(multiplyParts),
    units,
    counts: units.map((unit) => (unit.length > 1 ? undefined : observed?.counts[unit[0]])),
  }
}

const modeOf = (model: Predictor, unit: readonly number[]): NonNullable<Predictor['modes']>[number] =>
  unit.length === 1 && model.modes
    ? model.modes[unit[0]]
    : { name: joinLabels(unit.map((mode) => modeName(model, mode))) }

/** The units: the modes of each factor, a split mode once. */
function unitsOf({ digits }: ReshapedModes): number[][] {
  const units = digits.map((parts) => parts.map(({ mode }) => mode))
  return units.filter(([mode], k) => units.findIndex(([first]) => first === mode) === k)
}

/**
 * The factors of units (rows of the unit × R): a row of a split mode is the product of the rows of its
 * factors.
 */
function multiplyParts(member: Factored): Factored {
  if (!member.reshapedModes) return member
  const found = multiplied.get(member)
  if (found) return found
  const { rank, factors, dims } = member
  const { digits } = modesAsLearned(member)
  const own = unitsOf(member.reshapedModes).map((unit) => {
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
  const whole = { rank, factors: own, dims: own.map(({ length }) => length / rank) }
  multiplied.set(member, whole)
  return whole
}
