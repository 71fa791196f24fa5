import { uint32Array } from '../../tensor/arrays.ts'
import { type ColumnType, canonical, compareValues, typeOfTexts } from './columnType.ts'

/** A column of labels: its distinct texts, numbered as they come and put in order at the end. */
export class CodedColumn {
  readonly #codes = new Map<string, number>()

  code(text: string): number {
    const found = this.#codes.get(text)
    if (found !== undefined) return found
    this.#codes.set(text, this.#codes.size)
    return this.#codes.size - 1
  }

  /** The labels in order, and for each code the place of its label among them. */
  sorted(): { labels: string[]; places: Uint32Array; type: ColumnType } {
    const type = typeOfTexts(this.#codes.keys())
    const texts = Array.from(this.#codes.keys(), (text) => canonical(text, type))
    const labels = [...new Set(texts)].sort(compareValues(type))
    const placeOf = new Map(labels.map((label, place) => [label, place]))
    const places = uint32Array(texts.length)
    texts.forEach((text, code) => {
      places[code] = placeOf.get(text)!
    })
    return { labels, places, type }
  }
}
