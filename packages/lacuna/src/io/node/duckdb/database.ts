/** Databases whose tables are read: DuckDB, SQLite, Postgres, MySQL. */
import { open } from 'node:fs/promises'
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { explainFileError } from '../files/index.ts'
import { identifier, literal, type TableSession } from './session.ts'

const EXTENSIONS: Record<string, string> = { postgres: 'postgres', mysql: 'mysql', sqlite: 'sqlite' }

/** Attaches a database, read-only, so that SQL finds its tables by their names. */
export async function attachDatabase(session: TableSession, database: string): Promise<void> {
  const type = await typeOfDatabase(database)
  if (type) {
    // The only download: naming such a database asks for it.
    await session.run(`INSTALL ${EXTENSIONS[type]}`)
    await session.run(`LOAD ${EXTENSIONS[type]}`)
  }
  await session.run(`ATTACH ${literal(database)} AS lacuna_database (READ_ONLY${type && `, TYPE ${type}`})`)
  await session.run('USE lacuna_database')
}

/** DuckDB's name for the type of a database; empty for its own. */
async function typeOfDatabase(database: string): Promise<string> {
  const [, scheme] = /^(\w+):\/\//.exec(database) ?? []
  if (scheme === undefined) return typeOfFile(database)
  if (/^postgres(ql)?$/.test(scheme)) return 'postgres'
  if (scheme === 'mysql') return 'mysql'
  throw new InputError(
    'option',
    `${database}: a database is a file, or an address that begins with postgres://.`,
  )
}

/** The type of a database file by its first bytes, since DuckDB's and SQLite's may both end in .db. */
async function typeOfFile(path: string): Promise<string> {
  try {
    const file = await open(path)
    try {
      const { buffer } = await file.read(Buffer.alloc(16), 0, 16, 0)
      return buffer.toString('latin1').startsWith('SQLite format 3') ? 'sqlite' : ''
    } finally {
      await file.close()
    }
  } catch (error) {
    throw explainFileError(error, path, 'read')
  }
}

/** SQL for a table of the database; an error that lists the tables if there is none of that name. */
export async function tableOfDatabase(
  session: TableSession,
  [name, ...more]: readonly string[],
  database: string,
): Promise<string> {
  const rows = await session.rows(
    `SELECT table_name FROM information_schema.tables WHERE table_catalog = 'lacuna_database' ORDER BY 1`,
  )
  const tables = rows.map(([table]) => String(table))
  if (name === undefined || more.length > 0 || !tables.includes(name))
    throw new InputError(
      'table',
      sentence`${database}: name one of its tables or give a ${option('query')}; the tables are ${tables.join(', ')}.`,
    )
  return identifier(name)
}
