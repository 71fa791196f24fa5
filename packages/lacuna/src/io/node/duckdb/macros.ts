/**
 * Defines the binnings of labels/bins.ts as SQL macros, for modes that are SQL and use them: "'W'
 * || week(seen)". Macros of the session hide DuckDB's functions of the same name: its week() would be the
 * number of the week within any year. A test checks that both definitions agree.
 */

/** DuckDB's numeric types as SQL literals, joined by commas. */
const NUMBERS = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'FLOAT', 'DOUBLE']
  .flatMap((type) => [type, `U${type}`])
  .map((type) => `'${type}'`)
  .join(', ')

/** Unix times above this are milliseconds, others seconds: as seconds it would be the year 5138. */
const MILLISECONDS_FROM = 1e11

/** Returns SQL for the TIMESTAMP of a Unix time in seconds or milliseconds, given as SQL for a DOUBLE. */
const unixTime = (x: string): string =>
  `make_timestamp(CAST(round(${x} * CASE WHEN abs(${x}) > ${MILLISECONDS_FROM} THEN 1e3 ELSE 1e6 END) AS BIGINT))`

/** The macros, as SQL to put after CREATE TEMP MACRO. */
const macros = [
  // typeof() is known when a query is planned, so that only one branch is ever computed.
  `lacuna_time(x) AS CASE
     WHEN typeof(x) IN (${NUMBERS}) OR typeof(x) LIKE 'DECIMAL%' THEN ${unixTime('TRY_CAST(x AS DOUBLE)')}
     WHEN typeof(x) = 'VARCHAR' AND TRY_CAST(x AS DOUBLE) IS NOT NULL THEN ${unixTime('TRY_CAST(x AS DOUBLE)')}
     ELSE CAST(x AS TIMESTAMP) END`,
  `year(x) AS CAST(date_part('year', lacuna_time(x)) AS INTEGER)`,
  `month(x) AS strftime(lacuna_time(x), '%Y-%m')`,
  `week(x) AS CAST(date_trunc('week', lacuna_time(x)) AS DATE)`,
  `day(x) AS CAST(lacuna_time(x) AS DATE)`,
  `hour(x) AS CAST(date_part('hour', lacuna_time(x)) AS INTEGER)`,
  `weekday(x) AS CAST(date_part('isodow', lacuna_time(x)) AS INTEGER)`,
  // Keeps the type of x. In binary 0.3 % 0.1 is just below 0.1, not 0: what is that close to the next bin is
  // in it.
  `lacuna_above(x, width) AS ((x % width) + width) % width`,
  `weeks(x, start) AS CAST(floor((epoch(lacuna_time(x)) - start) / 604800) AS BIGINT) + 1`,
  `bins(x, width) AS round(
     x - lacuna_above(x, width) + CASE
       WHEN typeof(x % width) IN ('FLOAT', 'DOUBLE') AND width - lacuna_above(x, width) <= width * 1e-9
       THEN width ELSE 0 END,
     CAST(9 - floor(log10(width)) AS INTEGER))`,
]

/** SQL statements that define the binnings; to be run once per session. */
export const binningMacros: readonly string[] = macros.map((macro) => `CREATE TEMP MACRO ${macro}`)
