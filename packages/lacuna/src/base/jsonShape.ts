/** What a JSON value must look like: a word for a leaf, a list with its one kind of element, or fields (`name?` may lack). */
export type Shape = Leaf | readonly [Shape] | { readonly [field: string]: Shape }
type Leaf = 'string' | 'boolean' | 'number' | 'number or null' | 'number or auto' | 'object'

const leaves: { [leaf in Leaf]: (value: unknown) => boolean } = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: Number.isFinite,
  'number or null': (value) => value === null || Number.isFinite(value),
  'number or auto': (value) => value === 'auto' || Number.isFinite(value),
  object: (value) => typeof value === 'object' && value !== null,
}

/** The first place where a value is not of the shape, as a part of a sentence; undefined if there is none. */
export function shapeFault(value: unknown, shape: Shape, at = ''): string | undefined {
  const name = at === '' ? 'it' : at
  if (typeof shape === 'string') return leaves[shape](value) ? undefined : `${name} is not a ${shape}`
  if (isList(shape)) {
    if (!Array.isArray(value)) return `${name} is not a list`
    return first(value.entries(), ([i, element]) => shapeFault(element, shape[0], `${at}[${i}]`))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `${name} is not an object`
  return first(Object.entries(shape), ([key, part]) => {
    const field = key.replace('?', '')
    const found = (value as Record<string, unknown>)[field]
    if (found === undefined && key.endsWith('?')) return undefined
    return shapeFault(found, part, at === '' ? field : `${at}.${field}`)
  })
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape)

function first<T>(items: Iterable<T>, fault: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item)
    if (found) return found
  }
  return undefined
}
