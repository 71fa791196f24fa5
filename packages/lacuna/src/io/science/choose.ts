/** Chooses the array of a file that is read as a tensor. */
import { InputError, option, type Remark, remark, sentence, setting } from '../../base/inputError.ts'
import { type ArrayFile, type ArrayVariable, shapeText, shown, type VariableInfo } from './arrayFile.ts'
import { coordinateNames } from './coordinates.ts'

/** The most arrays that a message lists. */
const MAX_LISTED = 30

/** An array as messages and lists describe it: `t2m (time × lat × lon: 4 × 2 × 3, int16)`. */
export function describeVariable({ name, shape, type, dimensions }: VariableInfo): string {
  const axes = dimensions.some((dimension) => dimension !== undefined)
    ? `${dimensions.map((dimension) => shown(dimension ?? '?')).join(' × ')}: `
    : ''
  const sizes = shape.length > 0 ? `${axes}${shapeText(shape)}, ` : ''
  return `${shown(name)} (${sizes}${type})`
}

/** Axes that are longer than one: of MATLAB's vectors, which are matrices, one. */
const longAxes = ({ shape }: VariableInfo): number => shape.filter((size) => size > 1).length

/** The arrays of numbers with two or more axes that are not coordinates, bounds or masks. */
export function dataVariables({ variables }: ArrayFile): ArrayVariable[] {
  const coordinates = coordinateNames(variables)
  return variables.filter(
    (variable) => variable.kind === 'number' && longAxes(variable) >= 2 && !coordinates.has(variable.name),
  )
}

/** The only array that can be meant: the only one of `dataVariables`, or the only one of them with three or more axes. */
export function guessVariable(candidates: readonly ArrayVariable[]): ArrayVariable | undefined {
  const higher = candidates.filter((variable) => longAxes(variable) >= 3)
  const [only] = candidates.length === 1 ? candidates : higher.length === 1 ? higher : []
  return only
}

/**
 * The array to read: the one of that name; else the only one of numbers with two or more axes, or the only one
 * with three or more. Throws a list of the candidates if there are several or none.
 * @param onRemark receives the choice
 */
export function chooseVariable(
  file: ArrayFile,
  wanted: string | undefined,
  onRemark?: (remark: Remark) => void,
): ArrayVariable {
  const { name, variables } = file
  if (wanted !== undefined) {
    const path = wanted.replace(/^\//, '')
    const found = variables.find((variable) => variable.name === path)
    if (!found)
      throw new InputError(
        'option',
        `${name}: there is no variable ${shown(wanted)}; there are ${listVariables(variables)}.`,
      )
    if (found.fault !== undefined)
      throw new InputError('format', `${name}: the variable ${shown(found.name)} ${found.fault}.`)
    if (found.kind === 'text')
      throw new InputError(
        'format',
        `${name}: the variable ${shown(found.name)} holds texts; name one of numbers.`,
      )
    return found
  }
  const candidates = dataVariables(file)
  const only = guessVariable(candidates)
  if (only) {
    const others = variables.filter((variable) => variable !== only)
    const isGuess = candidates.length > 1
    const rest = others.length > 0 ? `; there are also ${listVariables(others)}` : ''
    onRemark?.(
      remark(
        isGuess
          ? sentence`${name}: takes ${describeVariable(only)}, the only array of three or more axes; say ${option('variable')} for another${rest}.`
          : sentence`${name}: takes ${describeVariable(only)}${rest}.`,
        isGuess,
      ),
    )
    return only
  }
  if (candidates.length === 0)
    throw new InputError(
      'format',
      variables.length === 0
        ? `${name}: there is no array in it.`
        : `${name}: there is no array of numbers with two or more axes in it, only ${listVariables(variables)}.`,
    )
  throw new InputError(
    'option',
    sentence`${name}: there are several arrays: ${listVariables(candidates)}; choose one, as by ${setting('variable', candidates[0].name)}.`,
  )
}

/** Arrays for messages, separated by semicolons: at most MAX_LISTED of them. */
function listVariables(variables: readonly VariableInfo[]): string {
  const listed = variables.slice(0, MAX_LISTED).map(describeVariable).join('; ')
  const more = variables.length - MAX_LISTED
  return more > 0 ? `${listed} and ${more} more` : listed
}
