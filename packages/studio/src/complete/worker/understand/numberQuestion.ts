/** Numbers whose comma or point may stand before fractions or between thousands, and the question which it is. */
import { type Batch, type ColumnSummary, isTime, plainNumber, type Thousands } from 'lacuna/internal'
import type { Table } from 'lacuna/tables'
import type { Answer, Question, TableChoice } from '../../understanding/index.ts'
import { filledTexts, firstRows, summarizeSample } from './sampleTexts.ts'

/** Numbers with a comma or point between digits, and what it may mean. */
export interface NumberSigns {
  column: string
  example: string
  /** The likelier signs, or nothing if both are as likely. */
  guess: Pick<TableChoice, 'decimal' | 'thousands'>
  options: Pick<TableChoice, 'decimal' | 'thousands'>[]
  isNeeded: boolean
}

/**
 * Finds numbers that may be written with thousands separators: 1,234 or 1.234. Where some number of the column
 * can have only one meaning (1,234,567 or 12,5), that is guessed; else the user must say.
 */
export function findNumberSigns(
  table: Table,
  sample: Batch,
  columns: readonly ColumnSummary[],
): NumberSigns | undefined {
  for (const [c, column] of columns.entries()) {
    const cells = sample.columns[c]
    if (!cells || cells instanceof Float64Array || isTime(column)) continue
    const texts = filledTexts(sample, c)
    for (const sign of [',', '.'] as const) {
      const found = judgeSign(texts, sign, table.decimal ?? '.')
      if (found) return { column: column.name, ...found }
    }
  }
  return undefined
}

/** Judges whether a sign stands between thousands or before fractions; undefined if it is in no number, or clear. */
export function judgeSign(
  texts: readonly string[],
  sign: Thousands,
  tableDecimal: ',' | '.' = '.',
): Omit<NumberSigns, 'column'> | undefined {
  if (sign !== ',' && sign !== '.') return undefined
  const other = sign === ',' ? '.' : ','
  const thousands = { thousands: sign, decimal: other } as const
  const decimal = { decimal: sign, thousands: undefined } as const
  const grouped = new RegExp(`^[-+]?\\d{1,3}(\\${sign}\\d{3})+(\\${other}\\d*)?$`)
  const example = texts.find((text) => grouped.test(text))
  const isAll = (style: { decimal: ',' | '.'; thousands?: Thousands }): boolean =>
    texts.filter((text) => Number.isFinite(Number(plainNumber(text, style)))).length >= 0.9 * texts.length
  if (example === undefined) {
    // A decimal comma where the table has points elsewhere, or in quotes.
    const own = texts.find((text) => text.includes(sign))
    if (own === undefined || sign === tableDecimal || !isAll(decimal) || isAll({ decimal: tableDecimal }))
      return undefined
    return {
      example: own,
      options: [decimal, { decimal: undefined, thousands: undefined }],
      guess: decimal,
      isNeeded: false,
    }
  }
  const isGroupedPossible = isAll(thousands)
  const isDecimalPossible = isAll(decimal)
  if (
    !isGroupedPossible ||
    (isDecimalPossible && sign === '.' && tableDecimal === '.' && !isSuspicious(texts, sign))
  )
    return undefined
  if (isDecimalPossible && texts.some((text) => !grouped.test(text) && text.includes(sign))) return undefined
  const options = isDecimalPossible
    ? [thousands, decimal]
    : [thousands, { decimal: undefined, thousands: undefined }]
  return { example, options, guess: isDecimalPossible ? {} : thousands, isNeeded: isDecimalPossible }
}

/** Whether all fractions have three digits, and some numbers have none: 980, 1.234, 12.500. */
const isSuspicious = (texts: readonly string[], sign: string): boolean =>
  texts.filter((text) => text.includes(sign)).length >= 2 &&
  texts.every(
    (text) => !text.includes(sign) || new RegExp(`^[-+]?[1-9]\\d{0,2}(\\${sign}\\d{3})+$`).test(text),
  ) &&
  texts.some((text) => /^[-+]?\d{1,3}$/.test(text))

/**
 * The signs that are assumed until the user has said what the comma or point in numbers means: those of the first answer.
 * Undefined if they are chosen or clear.
 */
export async function assumeNumberSigns(
  table: Table,
  { decimal, thousands }: TableChoice,
): Promise<NumberSigns['guess'] | undefined> {
  if (decimal !== undefined || thousands !== undefined) return undefined
  const sample = await firstRows(table)
  const found = findNumberSigns(table, sample, summarizeSample(table, sample))
  return found?.isNeeded ? found.options[0] : undefined
}

/** The question what the sign in a number means. */
export function numberQuestion({ column, example, options, isNeeded }: NumberSigns): Question {
  return {
    ...{ kind: 'number', id: `number ${column}`, isNeeded, column, example },
    answers: options.map((signs): Answer => {
      const x = Number(plainNumber(example, signs))
      return {
        key: signs.thousands !== undefined ? 'thousands' : signs.decimal !== undefined ? 'decimal' : 'text',
        ...(Number.isFinite(x) && { reading: String(x) }),
        changes: signs,
      }
    }),
  }
}
