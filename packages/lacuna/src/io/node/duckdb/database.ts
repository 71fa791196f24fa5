/** Attaches databases whose tables are read: DuckDB, SQLite, Postgres, MySQL. */
import { open } from 'node:fs/promises'
import { InputError, option, sentence } from '../../../base/inputError.ts'
import { explainFileError } from '../files/index.ts'
import { identifier, literal, type TableSession } from './session.ts'

/** Per type of database, the DuckDB extension that reads it. */
const EXTENSIONS: Record<string, string> = { postgres: 'postgres', mysql: 'mysql', sqlite: 'sqlite' }

/**
 * Attaches a database to a session, read-only, so that SQL finds its tables by their names; downloads
 * DuckDB's extension for it if that is missing.
 */
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

/** Returns DuckDB's name for the type of a database; empty for DuckDB's own. Throws for unknown addresses. */
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

/**
 * Returns the type of a database file by its first bytes, since DuckDB's and SQLite's may both end in .db:
 * 'sqlite', or empty for all else.
 */
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

/**
 * Returns the quoted name of a table of the attached database; throws an error that lists the tables unless
 * exactly one name is given and exists.
 */
export async function findDatabaseTable(
  session: TableSession,
  names: readonly string[],
  database: string,
): Promise<string> {
  const [name, ...others] = names
  const rows = await session.rows(
    `SELECT table_name FROM information_schema.tables WHERE table_catalog = 'lacuna_database' ORDER BY 1`,
  )
  const tables = rows.map(([table]) => String(table))
  if (name === undefined || others.length > 0 || !tables.includes(name))
    throw new InputError(
      'table',
      sentence`${database}: name one of its tables or give a ${option('query')}; the tables are ${tables.join(', ')}.`,
    )
  return identifier(name)
}
