/**
 * A subset of JSON Schema: the same objects validate requests, give them their types, and stand in the OpenAPI
 * document.
 */
import { InputError } from 'lacuna'

/** A schema of this subset; `description` is for the OpenAPI document. */
export type Schema = { readonly description?: string } & (
  | { readonly type: 'string'; readonly enum?: readonly string[]; readonly maxLength?: number }
  | { readonly type: 'number' | 'integer'; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: 'boolean' | 'null' }
  | { readonly type: 'array'; readonly items: Schema; readonly minItems?: number; readonly maxItems?: number }
  | {
      readonly type: 'object'
      readonly properties: Readonly<Record<string, Schema>>
      readonly required?: readonly string[]
      /** Schema of all other properties; false refuses them. */
      readonly additionalProperties: false | Schema
    }
  | { readonly anyOf: readonly Schema[] }
)

/** The TypeScript type of the values that a schema admits. */
export type Infer<S> = S extends { anyOf: readonly (infer A)[] }
  ? Infer<A>
  : S extends { type: 'string'; enum: readonly (infer E)[] }
    ? E
    : S extends { type: 'string' }
      ? string
      : S extends { type: 'number' | 'integer' }
        ? number
        : S extends { type: 'boolean' }
          ? boolean
          : S extends { type: 'null' }
            ? null
            : S extends { type: 'array'; items: infer I }
              ? readonly Infer<I>[]
              : S extends { type: 'object'; properties: infer P; additionalProperties: infer A }
                ? InferObject<P, S extends { required: readonly (infer K)[] } ? K : never> &
                    (A extends false ? unknown : Readonly<Record<string, Infer<A>>>)
                : never

/** The type of an object with these properties, of which some are required. */
type InferObject<P, K> = { readonly [N in keyof P as N extends K ? N : never]: Infer<P[N]> } & {
  readonly [N in keyof P as N extends K ? never : N]?: Infer<P[N]>
}

/**
 * Returns a value as the type of its schema; throws an InputError that names the first fault.
 * @param where what the value is called in messages
 */
export function validate<const S extends Schema>(value: unknown, schema: S, where?: string): Infer<S> {
  check(value, schema, where)
  return value as Infer<S>
}

/** Throws an InputError that names the first fault of a value. @param where what the value is called in messages */
export function check(value: unknown, schema: Schema, where = 'The body'): void {
  const fault = findFault(value, schema, where)
  if (fault !== undefined) throw new InputError('value', fault)
}

/** The sentence about the first fault of a value; undefined if it fits the schema. */
function findFault(value: unknown, schema: Schema, where: string): string | undefined {
  if ('anyOf' in schema) {
    const faults = schema.anyOf.map((option) => findFault(value, option, where))
    if (faults.includes(undefined)) return undefined
    // If exactly one option has the type of the value (array or object), its own fault is the more specific
    // message.
    const kind = Array.isArray(value) ? 'array' : typeof value === 'object' && value ? 'object' : undefined
    const alike = schema.anyOf.flatMap((option, at) => ('type' in option && option.type === kind ? [at] : []))
    if (alike.length === 1) return faults[alike[0]]
    return `${where} must be ${schema.anyOf.map(describe).join(' or ')}.`
  }
  switch (schema.type) {
    case 'string':
      if (typeof value !== 'string' || (schema.enum && !schema.enum.includes(value)))
        return `${where} must be ${describe(schema)}.`
      return schema.maxLength !== undefined && value.length > schema.maxLength
        ? `${where} has ${value.length} characters; at most ${schema.maxLength} are allowed.`
        : undefined
    case 'number':
    case 'integer': {
      const isNumber =
        typeof value === 'number' &&
        Number.isFinite(value) &&
        (schema.type === 'number' || Number.isInteger(value))
      const { minimum = -Infinity, maximum = Infinity } = schema
      return isNumber && value >= minimum && value <= maximum
        ? undefined
        : `${where} must be ${describe(schema)}.`
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `${where} must be true or false.`
    case 'null':
      return value === null ? undefined : `${where} must be null.`
    case 'array':
      return arrayFault(value, schema, where)
    case 'object':
      return objectFault(value, schema, where)
  }
}

/** The first fault of an array, in its length or one of its items. */
function arrayFault(
  value: unknown,
  { items, minItems = 0, maxItems = Infinity }: Extract<Schema, { type: 'array' }>,
  where: string,
): string | undefined {
  if (!Array.isArray(value)) return `${where} must be an array.`
  if (value.length < minItems) return `${where} must have at least ${minItems} items.`
  if (value.length > maxItems) return `${where} has ${value.length} items; at most ${maxItems} are allowed.`
  for (let at = 0; at < value.length; at++) {
    // The location is formatted only for a fault: a million items are checked in a tenth of a second.
    if (findFault(value[at], items, where) !== undefined)
      return findFault(value[at], items, `${where}[${at}]`)
  }
}

/** The first fault of an object: a property that is missing, unknown or wrong. */
function objectFault(
  value: unknown,
  { properties, required = [], additionalProperties }: Extract<Schema, { type: 'object' }>,
  where: string,
): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `${where} must be an object.`
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${where} has no "${missing}", which is required.`
  for (const [name, item] of Object.entries(value)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    const shown = JSON.stringify(name.slice(0, 40))
    if (!schema)
      return `${where} has the unknown property ${shown}; known are ${Object.keys(properties).join(', ')}.`
    const fault = findFault(item, schema, `${where}.${name.slice(0, 40)}`)
    if (fault !== undefined) return fault
  }
}

/** Describes in words the values that a schema admits. */
function describe(schema: Schema): string {
  if ('anyOf' in schema) return schema.anyOf.map(describe).join(' or ')
  switch (schema.type) {
    case 'string':
      return schema.enum ? `one of ${schema.enum.join(', ')}` : 'a text'
    case 'number':
    case 'integer': {
      const { minimum, maximum } = schema
      const range = `${minimum === undefined ? '' : ` from ${minimum}`}${maximum === undefined ? '' : ` to ${maximum}`}`
      return `${schema.type === 'integer' ? 'a whole number' : 'a number'}${range}`
    }
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return 'an array'
    case 'object':
      return 'an object'
  }
}
