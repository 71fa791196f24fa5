/** Output of the best rows along a mode: as text, as JSON, or as a table in a file. */
import type { Ranked } from 'lacuna/answers'
import { modeName, type OutputColumn, type OutputRow, type TensorModel, writeAnswers } from 'lacuna/internal'
import type { RowNames } from '../options/rowNames.ts'
import { componentDescriber } from './componentWords.ts'
import { formatCount, formatNumber, formatTable } from './format.ts'
import { print, printJson } from './print.ts'
import { oneLine, printable } from './printable.ts'
import { painter } from './terminal.ts'

/**
 * Prints the best rows along a mode as text or JSON, or writes them to a table if `output` is a path.
 * @param of the ranked mode, from 0
 * @param labels labels of the fixed rows, by mode name
 * @param ranked the best rows, in order
 */
export async function printTop(
  model: TensorModel,
  of: number,
  labels: Readonly<Record<string, string>>,
  ranked: readonly Ranked[],
  names: RowNames,
  options: { output?: string; json?: boolean },
): Promise<void> {
  const rowsWithNames = ranked.map((each) => ({ ...each, name: names.nameOf(of, each.row) }))
  if (options.output && options.output !== '-') {
    const rows = rowsWithNames.map(
      ({ label, name, predicted, entries, mean }, i): OutputRow => [
        ...Object.values(labels),
        ...[
          i + 1,
          label,
          ...(names.titles[of] ? [name ?? null] : []),
          predicted,
          entries ?? null,
          mean ?? null,
        ],
      ],
    )
    return writeAnswers(options.output, answerColumns(model, Object.keys(labels), of, names, true), [rows])
  }
  const mode = modeName(model, of)
  if (options.json)
    return printJson({
      for: labels,
      of: mode,
      top: rowsWithNames.map(({ row, name, ...rest }) => ({ ...rest, name })),
    })
  const { bold, dim } = painter(process.stdout)
  const hasNames = names.titles[of] !== undefined
  const describeComponent = componentDescriber(model, names)
  const used = new Set(rowsWithNames.flatMap(({ why }) => why.map(({ component }) => component)))
  const lines = rowsWithNames.map(({ label, name, predicted, entries, mean, why }, i) => [
    String(i + 1),
    oneLine(hasNames ? (name ?? label) : label),
    formatNumber(predicted),
    ...(entries === undefined ? [] : [formatCount(entries), formatNumber(mean ?? 0)]),
    why.map(({ component, share }) => `${component} (${Math.round(100 * share)}%)`).join(', '),
  ])
  const support = model.observed ? ['entries', 'their mean'] : []
  const head = ['', names.titles[of] ?? mode, 'predicted', ...support, 'why: components']
  const width = Math.max(...lines.map(([, name]) => name.length), head[1].length)
  const padded = [head, ...lines].map(([number, name, ...rest]) => [
    `${number.padStart(2)}  ${name.padEnd(width)}`,
    ...rest,
  ])
  const [first, ...rows] = formatTable(padded).split('\n')
  const reasons = [...used]
    .sort((a, b) => a - b)
    .map((component) => `  ${component}  ${describeComponent(component, of)}`)
  await print([bold(first), ...rows].join('\n'))
  if (reasons.length > 0)
    await print(
      `\n${dim('Components that made it so, by what is special about them:')}\n${printable(reasons.join('\n'))}`,
    )
}

/**
 * Columns of a table of the best rows: the fixed rows, rank, label, name, prediction, entries, mean.
 * @param asked names of the modes with fixed rows
 * @param of the ranked mode, from 0
 * @param hasMean whether there is a column of the mean observed values
 */
export function answerColumns(
  model: TensorModel,
  asked: readonly string[],
  of: number,
  names: RowNames,
  hasMean: boolean,
): OutputColumn[] {
  const labels = (mode: number): OutputColumn => ({
    name: modeName(model, mode),
    kind: 'text',
    type: model.modes?.[mode]?.type ?? 'BIGINT',
  })
  const title = names.titles[of]
  return [
    ...asked.map((name) => labels(names.mode(name))),
    { name: 'rank', kind: 'whole' },
    labels(of),
    ...(title === undefined ? [] : [{ name: title, kind: 'text' } as const]),
    { name: 'prediction', kind: 'number' },
    { name: 'entries', kind: 'whole' },
    ...(hasMean ? [{ name: 'mean', kind: 'number' } as const] : []),
  ]
}
