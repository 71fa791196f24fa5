/** Models of reshaped modes for what looks at whole factors: one per mode, or one for several that were learned as one. */
import { InputError } from '../base/inputError.ts'
import { digitTerm, modesAsLearned, type ReshapedModes, unobservedRows } from '../tensor/index.ts'
import { type Factored, labelOf, modeName, type Predictor } from './factored.ts'

/** An answerer whose modes are those of its factors. */
export interface Learned extends Predictor {
  /** For each mode, those of the model that it stands for: one, or several that were merged. */
  readonly units: readonly (readonly number[])[]
  /** For each mode, how many entries its rows have, if that is known: of merged ones it is not. */
  readonly counts: readonly (Uint32Array | undefined)[]
}

const known = new WeakMap<Predictor, Learned>()
const factored = new WeakMap<Factored, Factored>()

/**
 * Modes that were split are themselves again, the rows of their parts multiplied; merged ones are one mode. A model that was
 * not reshaped is as it is.
 */
export function asLearned(model: Predictor): Learned {
  const found = known.get(model)
  if (found) return found
  const [{ reshapedModes }] = model.members
  const learned = reshapedModes ? ofUnits(model, reshapedModes) : ofModes(model)
  known.set(model, learned)
  return learned
}

/** The same for what needs a factor per mode. */
export function plain(model: Predictor): Learned {
  const learned = asLearned(model)
  const merged = learned.units.find(({ length }) => length > 1)
  if (!merged) return learned
  const names = merged.map((mode) => modeName(model, mode))
  throw new InputError(
    'option',
    `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]} were learned as one mode, and this asks for each by itself; such a model can predict, evaluate, fill, rank rows for one question and tell its components.`,
  )
}

/** The rows of the model's own modes that no training entry spoke of. */
export const unobservedOf = (
  model: Pick<Predictor, 'dims' | 'unobserved' | 'reshapedModes'>,
): readonly Uint32Array[] =>
  model.reshapedModes ? unobservedRows(model.reshapedModes, model.unobserved, model.dims) : model.unobserved

/** The rows of the model's modes that a row of a unit stands for. */
export function rowsOfUnit({ dims }: Predictor, unit: readonly number[], row: number): number[] {
  const rows: number[] = []
  let rest = row
  for (const mode of [...unit].reverse()) {
    rows.unshift(rest % dims[mode])
    rest = Math.floor(rest / dims[mode])
  }
  return rows
}

/** What is said of rows of modes that were learned as one: a × b. */
export const together = (parts: readonly string[]): string => parts.join(' × ')

/** What the rows of a unit are called. */
export const labelsOfUnit = (model: Predictor, unit: readonly number[], row: number): string[] =>
  rowsOfUnit(model, unit, row).map((own, i) => labelOf(model, unit[i], own))

function ofModes(model: Predictor): Learned {
  const { dims, labels, modes, observed, unobserved, members } = model
  const counts = observed?.counts ?? dims.map(() => undefined)
  return { dims, labels, modes, observed, unobserved, members, units: dims.map((_, mode) => [mode]), counts }
}

function ofUnits(model: Predictor, reshapedModes: ReshapedModes): Learned {
  const { dims, labels, modes, observed, members } = model
  const units = unitsOf(reshapedModes)
  const isMerged = units.length < dims.length
  const unobserved = unobservedOf(model)
  const placeOf = (unit: readonly number[]): number =>
    reshapedModes.digits.findIndex(([{ mode }]) => mode === unit[0])
  return {
    dims: units.map((unit) => unit.reduce((product, mode) => product * dims[mode], 1)),
    labels: labels && units.map((unit) => (unit.length > 1 ? undefined : labels[unit[0]])),
    modes: isMerged ? units.map((unit) => modeOf(model, unit)) : modes,
    ...(observed && !isMerged && { observed }),
    unobserved: units.map((unit) =>
      unit.length > 1 ? model.unobserved[placeOf(unit)] : unobserved[unit[0]],
    ),
    members: members.map(multipliedOut),
    units,
    counts: units.map((unit) => (unit.length > 1 ? undefined : observed?.counts[unit[0]])),
  }
}

const modeOf = (model: Predictor, unit: readonly number[]): NonNullable<Predictor['modes']>[number] =>
  unit.length === 1 && model.modes
    ? model.modes[unit[0]]
    : { name: together(unit.map((mode) => modeName(model, mode))) }

/** The modes of each factor, those of a split mode once. */
function unitsOf({ digits }: ReshapedModes): number[][] {
  const units = digits.map((parts) => parts.map(({ mode }) => mode))
  return units.filter(([mode], k) => units.findIndex(([first]) => first === mode) === k)
}

/** The factors of units: a row of a split mode is the product of the rows of its parts. */
function multipliedOut(member: Factored): Factored {
  if (!member.reshapedModes) return member
  const found = factored.get(member)
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
  factored.set(member, whole)
  return whole
}
