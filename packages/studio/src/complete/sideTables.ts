/**
 * Tables beside the data: names of the rows of a mode for people, such as the titles of films, and attributes of
 * them, such as genres, by which rows are alike. They belong to the opened file, whatever is learned from it.
 */

/** Names of the rows of a mode. */
export interface NameTable {
  kind: 'names'
  /** The name of the mode. */
  mode: string
  /** The file that they come from. */
  file: string
  /** Labels of rows with their names. */
  names: readonly (readonly [label: string, name: string])[]
}

/** Attributes of the rows of a mode, as texts. */
export interface AttributeTable {
  kind: 'attributes'
  mode: string
  file: string
  columns: readonly string[]
  /** Labels of rows, each with a text per column. */
  rows: readonly (readonly [label: string, texts: readonly string[]])[]
}

/** A table beside the data. */
export type SideTable = NameTable | AttributeTable

/** The names or attributes that a table can give to the rows of a mode. */
export interface SideTableOffer {
  mode: string
  hasNames: boolean
  /** The columns of which several rows have something in common. */
  attributes: string[]
}

/** Attributes as the command line writes them, movieId=movies.csv:genres; undefined if there are none. */
export function describeAttributes(tables: readonly SideTable[]): string | undefined {
  const given = tables.filter((table) => table.kind === 'attributes')
  if (given.length === 0) return undefined
  return given.map(({ mode, file, columns }) => `${mode}=${file}:${columns.join(',')}`).join('\n')
}

/** The tables with another one, which takes the place of one of the same kind for the same mode. */
export const withTable = (tables: readonly SideTable[], table: SideTable): SideTable[] => [
  ...tables.filter(({ kind, mode }) => kind !== table.kind || mode !== table.mode),
  table,
]
