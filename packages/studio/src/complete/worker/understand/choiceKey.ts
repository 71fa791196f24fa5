/** Choices as keys of what was read by them. */
import type { TableChoice } from '../../understanding/index.ts'

/**
 * A text that is the same for choices that read a table in the same way: without fields that are not set, in whatever
 * order they were set.
 * @param more settings beside the choice, or fields of it that do not count, as undefined
 */
export function choiceKey(choice: TableChoice, more: Readonly<Record<string, unknown>> = {}): string {
  const fields = Object.entries({ ...choice, edited: undefined, settled: undefined, ...more })
  const set = fields.filter(([, value]) => value !== undefined && value !== false)
  return JSON.stringify(set.sort(([a], [b]) => (a < b ? -1 : 1)))
}
