/** The options of every command that reads tables. */
import { type Command, Option } from 'commander'
import {
  type DuplicatePolicy,
  duplicatePolicies,
  indexPolicies,
  mergePolicies,
  recipeNames,
  thousandsSigns,
} from 'lacuna/internal'
import type { TableOptions } from 'lacuna/tables'

/** Help of the argument FILES. */
export const filesHelp =
  'a .tns, .npy or .npz file, or one of several arrays (.mat, .h5, .nc, .zarr); or a table (.csv, .tsv, .dat, .parquet, .arrow, .xlsx, .json …, also .gz and .zst), or several of the same columns; - is stdin'

/** Help of --mask. */
export const maskHelp =
  'which elements of a dense array are observed: an .npy of booleans, or an array of the same file by its name'

/** The options as commander describes them. */
const options: readonly Option[] = [
  new Option(
    '--modes <expr...>',
    'of a table: the column, binning or SQL expression of each mode, AS a name if wanted; raw:EXPR takes a whole number for the index',
  ),
  new Option('--value <expr>', 'of a table: what was observed; if only modes are given, rows are counted'),
  new Option(
    '--weight <expr>',
    'of a table: how much each row counts, a column of numbers from 0 (0 leaves the row out)',
  ),
  new Option(
    '--merge <policy>',
    'rows or entries of the same coordinates (default: error; of a table without --value, count)',
  ).choices(mergePolicies),
  new Option('--duplicates <policy>', 'former name of --merge').choices(duplicatePolicies).hideHelp(),
  new Option(
    '--index <policy>',
    'of a table: whole numbers are coded by distinct values, or are the index from 1 (default: coded)',
  ).choices(indexPolicies),
  new Option(
    '--dates <format...>',
    'of a table: how its text writes times that are not ISO, as in "%m/%d/%Y %H:%M"; iso allows those, too',
  ),
  new Option(
    '--timezone <name>',
    'of a table: by whose clocks times are binned, as in Europe/Berlin; times without an offset are its own (default: UTC)',
  ),
  new Option('--decimal <sign>', 'of a table: what stands before the fraction of a number').choices([
    ',',
    '.',
  ]),
  new Option(
    '--thousands <sign>',
    'of a table: what stands between thousands, as in 1,264 (a blank, or "\'", as well)',
  ).choices(thousandsSigns),
  new Option(
    '--melt <name[=columns]>',
    'of a wide table: the mode that its columns become, all but those named by --modes, or as in "day=2024-*"',
  ),
  new Option(
    '--sheet <name>',
    'of an .xlsx: the sheet, by its name or number (default: the first that is not empty)',
  ),
  new Option(
    '--variable <name>',
    'of a file of several arrays (.mat, .h5, .nc, .zarr): which one, as in t2m, group/data or data.X',
  ),
  new Option('--query <sql>', 'read the result of an SQL query, in which the files are the table data'),
  new Option(
    '--database <file|url>',
    'read a table of a DuckDB, SQLite or Postgres database, named in place of a file',
  ),
  new Option('--recipe <name>', 'read well-known files as others did').choices(recipeNames),
]

/** Adds the options for tables to a command, and returns it. */
export function addTableOptions(command: Command): Command {
  for (const option of options) command.addOption(option)
  return command
}

/** The options of reading that every command has: those of tables, and the array of a file of several. */
export interface FileOptions extends TableOptions {
  /** The array to read of a file of several. */
  variable?: string
}

/** The options of reading among all options of a command, without those that are undefined. */
export function tableOptions(given: FileOptions): FileOptions {
  const { modes, value, weight, merge, index, dates, timezone } = given
  const { decimal, thousands, melt, sheet, query, database, recipe, variable } = given
  const all = {
    modes,
    value,
    weight,
    merge,
    index,
    dates,
    timezone,
    decimal,
    thousands,
    melt,
    sheet,
    query,
    database,
    recipe,
    variable,
  }
  return Object.fromEntries(Object.entries(all).filter(([, option]) => option !== undefined))
}

/** The policy for repeated coordinates in files other than tables: --merge, or --duplicates, its former name. */
export const duplicatesOf = ({
  merge,
  duplicates,
}: Pick<TableOptions, 'merge'> & { duplicates?: DuplicatePolicy }): DuplicatePolicy | undefined =>
  duplicates ?? (merge === 'count' ? undefined : merge)
