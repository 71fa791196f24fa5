/** Validation of JSON values: against a shape, and by how deep they are nested. */

/** The most lists and objects within each other: deeper JSON comes from no program, and writing it may fail. */
export const MAX_JSON_DEPTH = 1000

/** Whether a parsed JSON value has more than MAX_JSON_DEPTH lists and objects within each other. */
export function isNestedTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === MAX_JSON_DEPTH) return true
  for (const inner of Array.isArray(value) ? value : Object.values(value))
    if (isNestedTooDeep(inner, depth + 1)) return true
  return false
}

/**
 * The shape of a JSON value: the type of a leaf, a list with the shape of its elements, or fields (`name?` is
 * optional).
 */
export type Shape = Leaf | readonly [Shape] | { readonly [field: string]: Shape }
type Leaf = 'string' | 'boolean' | 'number' | 'number or null' | 'number or auto' | 'object'

/** Per type of leaf, whether a value has it. */
const leafChecks: { [leaf in Leaf]: (value: unknown) => boolean } = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: Number.isFinite,
  'number or null': (value) => value === null || Number.isFinite(value),
  'number or auto': (value) => value === 'auto' || Number.isFinite(value),
  object: (value) => typeof value === 'object' && value !== null,
}

/**
 * Returns the first mismatch of a value and a shape, as part of a message (`settings.rank is not a number`),
 * or undefined.
 * @param at the path of the value
 */
export function findShapeFault(value: unknown, shape: Shape, at = ''): string | undefined {
  const name = at === '' ? 'it' : at
  if (typeof shape === 'string') return leafChecks[shape](value) ? undefined : `${name} is not a ${shape}`
  if (isList(shape)) {
    if (!Array.isArray(value)) return `${name} is not a list`
    return findFirstFault(value.entries(), ([i, element]) => findShapeFault(element, shape[0], `${at}[${i}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${name} is not an object`
  return findFirstFault(Object.entries(shape), ([key, part]) => {
    const field = key.replace('?', '')
    const found = (value as Record<string, unknown>)[field]
    if (found === undefined && key.endsWith('?')) return undefined
    return findShapeFault(found, part, at === '' ? field : `${at}.${field}`)
  })
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

/** Returns the first fault of the items, or undefined if none has one. */
function findFirstFault<T>(items: Iterable<T>, fault: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item)
    if (found) return found
  }
  return undefined
}
