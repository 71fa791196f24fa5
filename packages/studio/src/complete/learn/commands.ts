/** The command line and the TypeScript that do what a run of the page does. */
import type { LearnSettings, ReadSettings, RunKind } from '../protocol.ts'
import { PLACE, type TableChoice } from '../understanding/index.ts'

/** A run that a command repeats: a file, how it is read, and the settings. */
export interface Repeated {
  /** The name of the file. */
  file: string
  reading: ReadSettings
  kind: RunKind
  settings: LearnSettings
}

/** Quotes an argument for a POSIX shell, if that is necessary. */
const quote = (text: string): string =>
  /^[\w./:=,+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The options of the command that say how a table is read. */
function tableArguments(choice: TableChoice): string[][] {
  const { value, weight, merge, dates, decimal, thousands, melt } = choice
  return [
    ['--modes', ...modesOf(choice)],
    ...(value === undefined ? [] : [['--value', value]]),
    ...(weight === undefined ? [] : [['--weight', weight]]),
    ...(melt === undefined ? [] : [['--melt', melt]]),
    ...(merge === 'error' ? [] : [['--merge', merge]]),
    ...(dates === undefined ? [] : [['--dates', ...dates]]),
    ...(decimal === undefined ? [] : [['--decimal', decimal]]),
    ...(thousands === undefined ? [] : [['--thousands', thousands]]),
  ]
}

/** The modes of a choice; places are computed by SQL. */
function modesOf({ modes, place }: TableChoice): string[] {
  if (!place) return modes
  const column = (name: string): string => `round("${name.replaceAll('"', '""')}", ${place.decimals})`
  const field = `{:.${place.decimals}f}`
  const sql = `format('${field}, ${field}', ${column(place.latitude)}, ${column(place.longitude)}) AS ${PLACE}`
  return modes.map((mode) => (mode === PLACE ? sql : mode))
}

/** Sentences about what the page does with a table and the command does not. */
function differences({
  encoding,
  skipBadRows,
  removeUnits,
  numberRows,
  melt,
  ignored,
}: TableChoice): string[] {
  return [
    ...(encoding
      ? [`The page reads the text as ${encoding}; convert it first: iconv -f ${encoding} -t utf-8.`]
      : []),
    ...(skipBadRows ? ['The page leaves out rows that cannot be read; mend or remove them first.'] : []),
    ...(removeUnits ? ['The page leaves units away; remove them from the values first.'] : []),
    ...(numberRows ? ['The page numbers the rows; add a column of their numbers, called row, first.'] : []),
    ...(melt !== undefined && ignored?.length
      ? [`The page ignores ${ignored.join(', ')}; remove these columns first.`]
      : []),
  ]
}

/** Returns the command that reads the same file in the same way and learns with the same settings. */
export function commandOf({ file, reading, kind, settings }: Repeated): string {
  const { choice, variable, negative, merge } = reading
  const { rank, lambda, heldOut, seed, seconds, folds, noise, loss, link, missing, lags, features } = settings
  const isEnsemble = kind === 'best' || folds !== undefined
  const options: string[][] = [
    ...(choice ? tableArguments(choice) : merge === 'error' ? [] : [['--merge', merge]]),
    ...(variable === undefined ? [] : [['--variable', variable]]),
    ...(negative === 'error' ? [] : [['--negative', negative]]),
    ...(kind === 'best' ? [['--best']] : [['--rank', String(rank)]]),
    ...(kind === 'best' || rank === 'auto' ? [['--seconds', String(seconds)]] : []),
    ...(kind === 'quick' && folds !== undefined ? [['--folds', String(folds)]] : []),
    ...(lambda === 'auto' ? [] : [['--lambda', String(lambda)]]),
    ...(noise ? [['--noise', noise]] : []),
    ...(loss ? [['--loss', loss]] : []),
    ...(link ? [['--link', link]] : []),
    ...(missing ? [['--missing', missing]] : []),
    ...(lags ?? '').split(/\s+/).flatMap((part) => (part ? [['--lags', part]] : [])),
    ...(features ?? '').split('\n').flatMap((table) => (table ? [['--features', table]] : [])),
    // An ensemble has no validation entries of its own: those that are held out only test it.
    ...(heldOut > 0 ? [[isEnsemble ? '--test' : '--validation', String(heldOut)]] : []),
    ...(seed === 1 ? [] : [['--seed', String(seed)]]),
    ['-o', 'model.npz'],
  ]
  const command = ['lacuna complete', quote(file), ...options.flat().map(quote)].join(' ')
  return [...(choice ? differences(choice) : []).map((text) => `# ${text}`), command].join('\n')
}

/** Returns a program that does the same by the library. */
export function programOf({ file, reading, kind, settings }: Repeated): string {
  const { choice, variable, negative } = reading
  const { rank, lambda, heldOut, seed, seconds, folds, noise, loss, link, missing, lags, features } = settings
  const table = choice && {
    ...{ modes: modesOf(choice), value: choice.value, weight: choice.weight, merge: choice.merge },
    ...{ dates: choice.dates, decimal: choice.decimal, thousands: choice.thousands, melt: choice.melt },
  }
  const read = { ...table, variable, negative: negative === 'error' ? undefined : negative }
  const isEnsemble = kind === 'best' || folds !== undefined
  const shared = {
    lambda: lambda === 'auto' ? undefined : lambda,
    ...{ seed, noise, loss, link, missing, lags: lags ? lagsOf(lags) : undefined },
  }
  const heldOutName = isEnsemble ? 'test' : 'validation'
  const entries = heldOut > 0 ? 'train' : 'tensor'
  const splitLine = `const { train, ${heldOutName} } = split(tensor, { ${heldOutName}: ${heldOut} }, ${seed})`
  const isAuto = kind === 'quick' && rank === 'auto'
  const search = {
    ...(kind === 'best'
      ? { findRank: 'best', choose: true }
      : { folds, ...(isAuto && { findRank: 'smallest' }) }),
    ...((kind === 'best' || isAuto) && { seconds }),
  }
  const learn = isEnsemble
    ? `const { model, outOfFold } = (await completeByFolds(${entries}, ${literal({ ...shared, ...(kind === 'quick' && !isAuto && { rank }) })}, ${literal(search)}))!`
    : `const { model } = await complete(${entries}, ${literal({ rank, ...(isAuto && { seconds }), ...shared }).replace(/ \}$/, heldOut > 0 ? ', validation }' : ' }')})`
  return [
    `import { ${[...(isEnsemble ? [] : ['complete']), 'readTensor', ...(heldOut > 0 ? ['split'] : []), ...(isEnsemble ? [] : ['writeModel'])].join(', ')} } from 'lacuna'`,
    ...(isEnsemble ? ["import { completeByFolds } from 'lacuna/folds'"] : []),
    '',
    ...(features
      ? [`// The page also gives attributes (${features.replaceAll('\n', '; ')}) by the option features.`]
      : []),
    `const tensor = await readTensor(${JSON.stringify(file)}, ${literal(read)})`,
    ...(heldOut > 0 ? [splitLine] : []),
    learn,
    isEnsemble && heldOut > 0
      ? `console.log(outOfFold?.verdict, model.error(test).rmse)`
      : isEnsemble
        ? 'console.log(outOfFold?.verdict)'
        : "await writeModel('model.npz', model)",
  ].join('\n')
}

/** Lags by mode, from their text. */
const lagsOf = (text: string): Record<string, number[]> =>
  Object.fromEntries(
    text.split(/\s+/).map((part) => {
      const [mode, distances = ''] = part.split('=')
      return [mode, distances.split(',').map(Number)]
    }),
  )

/** An object as TypeScript, on one line, without what is undefined. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value === 'string') return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, field]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal(field)}`).join(', ')} }`
}
