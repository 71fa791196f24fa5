import { InputError } from '../inputError.ts'
import type { Mode } from '../tensor/sparseTensor.ts'

/** By the names of modes, what is asked for in each: a label, as text or as the number that it writes. */
export type Labels = Readonly<Record<string, string | number | bigint | boolean>>

/** Finds the indices of labels. */
export class LabelLookup {
  readonly #modes: readonly Mode[]
  readonly #labels: readonly (readonly string[] | undefined)[]
  /** Per mode, made when it is first asked for. */
  readonly #places: (ReadonlyMap<string | number, number> | undefined)[]

  constructor(modes: readonly Mode[], labels: readonly (readonly string[] | undefined)[] | undefined) {
    this.#modes = modes
    this.#labels = labels ?? []
    this.#places = modes.map(() => undefined)
  }

  /** From 0. */
  indicesOf(asked: Labels): number[] {
    return this.#modes.map(({ name }, mode) => {
      if (!Object.hasOwn(asked, name) || asked[name] === null || asked[name] === undefined)
        throw new InputError(
          'option',
          `There is no ${name}; give a label for each mode: ${this.#modes.map((mode) => mode.name).join(', ')}.`,
        )
      const labels = this.#labels[mode]
      return labels ? this.#find(mode, labels, asked[name]) : Number(asked[name]) - 1
    })
  }

  #find(mode: number, labels: readonly string[], label: Labels[string]): number {
    this.#places[mode] ??= placesOf(labels)
    const places = this.#places[mode]
    const found = places.get(String(label)) ?? (typeof label === 'number' ? places.get(label) : undefined)
    if (found !== undefined) return found
    const { name } = this.#modes[mode]
    throw new InputError(
      'index',
      `The model knows no ${name} "${label}"; it has ${labels.length}, from "${labels[0]}" to "${labels[labels.length - 1]}".`,
    )
  }
}

/** By text, and by the number that a text writes: a label 4.50 is also 4.5. */
function placesOf(labels: readonly string[]): Map<string | number, number> {
  const places = new Map<string | number, number>()
  labels.forEach((label, place) => {
    places.set(label, place)
    if (label.trim() !== '' && !Number.isNaN(Number(label))) places.set(Number(label), place)
  })
  return places
}
