/** The choice for a wide table, whose columns become the labels of one mode, and the question whether it is one. */
import { type Batch, freeName } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import { type Question, ROW, type TableChoice } from '../../understanding/index.ts'
import { cellTexts } from './sampleTexts.ts'
import type { WideColumns } from './wideColumns.ts'

/** The mode that the columns of a wide table become, and the roles of the other columns. */
export interface MeltGuess {
  melt: string
  roles: Partial<TableChoice>
}

/**
 * Guesses the roles in a wide table: of its other columns, those by which rows differ are modes, and the rest is
 * ignored. Rows without such a column are numbered.
 */
export function guessMelt(table: Table, sample: Batch, wide: WideColumns): MeltGuess {
  const melted = new Set(wide.names)
  const names = table.columns.map(({ name }) => name)
  const others = names.flatMap((name, c) => (melted.has(name) ? [] : [c]))
  const keys = keyColumns(sample, others)
  const taken = new Set(names.filter((name) => !melted.has(name)).map((name) => name.toLowerCase()))
  return {
    melt: freeName(wide.mode, taken),
    roles: {
      modes: keys.length > 0 ? keys.map((c) => names[c]) : [ROW],
      value: undefined,
      weight: undefined,
      merge: 'error',
      place: undefined,
      ignored: others.filter((c) => !keys.includes(c)).map((c) => names[c]),
      numberRows: keys.length === 0 ? true : undefined,
    },
  }
}

/** The fewest columns, texts before numbers, by which the rows of the sample differ as much as by all of them. */
function keyColumns(sample: Batch, columns: readonly number[]): number[] {
  const texts = new Map(columns.map((c) => [c, cellTexts(sample, c)]))
  const distinct = (chosen: readonly number[]): number => {
    const seen = new Set<string>()
    for (let row = 0; row < sample.rowCount; row++)
      seen.add(JSON.stringify(chosen.map((c) => texts.get(c)![row])))
    return seen.size
  }
  const isNumber = (c: number): boolean => texts.get(c)!.every((text) => Number.isFinite(Number(text ?? 0)))
  const chosen: number[] = []
  for (const c of [...columns].sort((a, b) => Number(isNumber(a)) - Number(isNumber(b))))
    if (distinct([...chosen, c]) > (chosen.length === 0 ? 1 : distinct(chosen))) chosen.push(c)
  const all = distinct(chosen)
  return chosen.reduce<number[]>((left, c) => {
    const without = left.filter((other) => other !== c)
    return without.length > 0 && distinct(without) === all ? without : left
  }, chosen)
}

/** The question whether the columns of a table are labels of one mode. @param melt the name of that mode */
export function wideQuestion(wide: WideColumns, melt: string): Question {
  return {
    ...{ kind: 'wide', id: 'wide', isNeeded: false },
    ...{ first: wide.names[0], last: wide.names.at(-1)!, count: wide.names.length, mode: wide.mode },
    answers: [
      { key: 'melt', changes: { melt } },
      { key: 'columns', changes: { melt: undefined } },
    ],
  }
}
