/** What the studio understands of messy tables, what it asks, and the data that its answers make of them. */
import { complete } from 'lacuna'
import type { TensorModel } from 'lacuna/internal'
import { describe, expect, it } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import type { ReadSettings } from '../../../packages/studio/src/complete/protocol.ts'
import {
  type Answer,
  applyAnswer,
  isChosen,
  openQuestions,
  type Question,
  type Understanding,
} from '../../../packages/studio/src/complete/understanding/index.ts'
import { inspectFile, readFile } from '../../../packages/studio/src/complete/worker/openFile.ts'
import { findForeignText } from '../../../packages/studio/src/complete/worker/textEncoding.ts'

/** A table that was opened, and how it is read. */
interface Table {
  file: File
  understanding: Understanding
  settings: ReadSettings
}

/** Opens a table of these lines. */
async function open(lines: readonly string[], name = 'table.csv'): Promise<Table> {
  const file = new File([`${lines.join('\n')}\n`], name)
  const { opened } = await inspectFile(file)
  if (opened.kind !== 'table') throw new Error('no table')
  const settings: ReadSettings = { choice: opened.choice, negative: 'error', merge: 'error' }
  return { file, understanding: opened.understanding, settings }
}

/** Reads a table by its settings. */
const read = ({ file, settings }: Table) => readFile(file, settings, () => {})

/** Answers a question by the key of the answer. */
function answer(table: Table, question: Question | undefined, key: string): Table {
  const chosen = question?.answers.find((one) => one.key === key)
  if (!chosen) throw new Error(`there is no answer ${key}`)
  return { ...table, settings: applyAnswer(table.settings, chosen, table.understanding) }
}

/** The question of a kind. */
const find = (questions: readonly Question[], kind: Question['kind']): Question | undefined =>
  questions.find((question) => question.kind === kind)

/** The kinds of the questions that must be answered. */
const openKinds = (questions: readonly Question[], { settings }: Table): string[] =>
  openQuestions(questions, settings).map(({ kind }) => kind)

/** Labels of the modes of a tensor. */
const labelsOf = (tensor: { labels?: readonly (readonly string[] | undefined)[] }) => tensor.labels

describe('what the studio understands of a table', () => {
  it('asks which day 1/4 is, reads it provisionally, and by the answer', async () => {
    const table = await open(['shop,day,sales', 'a,1/4/2014,3', 'b,2/4/2014,4', 'a,3/4/2014,5'])
    const question = find(table.understanding.questions, 'dates')
    expect(question).toMatchObject({ column: 'day', example: '1/4/2014', isNeeded: true })
    expect(question?.answers.map(({ reading }) => reading?.slice(0, 10))).toEqual([
      '2014-01-04',
      '2014-04-01',
    ])
    expect(openKinds(table.understanding.questions, table)).toEqual(['dates'])
    expect((await read(table)).tensor.dims[0]).toBe(2)
    const april = answer(table, question, '%d/%m/%Y')
    expect(openKinds(april.understanding.questions, april)).toEqual([])
    const { tensor } = await read(april)
    expect(tensor.modes?.map(({ name }) => name)).toEqual(['shop', 'day(day)'])
    expect(labelsOf(tensor)?.[1]).toEqual(['2014-04-01', '2014-04-02', '2014-04-03'])
  })

  it('answers the question about dates itself where a later row leaves one way only', async () => {
    // The first 4000 rows, by which a table is understood, have days up to 12 only.
    const rows = Array.from({ length: 4000 }, (_, i) => `shop number ${i},${1 + (i % 12)}/4/2014,${i}`)
    const table = await open(['shop,day,sales', ...rows, 'last,13/4/2014,1'])
    expect(find(table.understanding.questions, 'dates')?.answers.length).toBe(2)
    const { questions, tensor } = await read(table)
    expect(find(questions, 'dates')).toMatchObject({ isNeeded: false, answers: [{ key: '%d/%m/%Y' }] })
    expect(tensor.labels?.[1]).toEqual(['2014-03-31', '2014-04-07'])
  })

  it('reads a German table without a question: semicolons, decimal commas, days with points', async () => {
    const table = await open([
      'Filiale;Tag;Umsatz',
      'Nord;13.04.2014;12,5',
      'Süd;13.04.2014;3,25',
      'Nord;14.04.2014;7',
    ])
    expect(openKinds(table.understanding.questions, table)).toEqual([])
    expect(table.settings.choice).toMatchObject({ value: 'Umsatz', dates: ['%d.%m.%Y'] })
    const { tensor, questions } = await read(table)
    expect(questions).toEqual([])
    expect([...tensor.values]).toEqual([12.5, 3.25, 7])
  })

  it('asks about text that is not UTF-8, and reads it as Windows-1252', async () => {
    const lines = ['Ort;Woche;Umsatz', 'München;1;3,5', 'München;2;4,5', 'Spaß“;1;5,5', 'Köln – Süd;2;6,5']
    // Latin-1 has the letters, and Windows-1252 the quote and the dash beside them.
    const signs = new Map([...'“–'].map((sign, n) => [sign, [0x93, 0x96][n]]))
    const bytes = Uint8Array.from(lines.join('\n'), (letter) => signs.get(letter) ?? letter.charCodeAt(0))
    const file = new File([bytes], 'umsatz.csv')
    const { opened } = await inspectFile(file)
    if (opened.kind !== 'table') throw new Error('no table')
    const { understanding } = opened
    expect(understanding.preview.map(([place]) => place)).toEqual([
      'München',
      'München',
      'Spaß“',
      'Köln – Süd',
    ])
    const table: Table = {
      ...{ file, understanding },
      settings: { choice: opened.choice, negative: 'error', merge: 'error' },
    }
    const question = find(understanding.questions, 'encoding')
    expect(question).toMatchObject({ example: 'München', isNeeded: true })
    expect(openKinds(understanding.questions, table)).toEqual(['encoding'])
    const answered = answer(table, question, 'windows-1252')
    expect(openKinds(understanding.questions, answered)).toEqual([])
    const { tensor } = await read(answered)
    expect(labelsOf(tensor)?.[0]).toEqual(['Köln – Süd', 'München', 'Spaß“'])
    expect(Array.from(tensor.values).sort()).toEqual([3.5, 4.5, 5.5, 6.5])
    expect((await read(table)).tensor).toBe(tensor) // the answer confirms what was assumed
  })

  it('takes text of UTF-8 as it is, whatever letters it has', async () => {
    const table = await open(['ort,woche,umsatz', 'Ü–ß“,1,3', '東京 🏯,2,4', 'Ü–ß“,2,5'])
    expect(find(table.understanding.questions, 'encoding')).toBeUndefined()
    expect(labelsOf((await read(table)).tensor)?.[0]).toEqual(['Ü–ß“', '東京 🏯'])
  })

  it('tells UTF-8 from other bytes as TextDecoder does, however they come in pieces', async () => {
    const seed = Math.floor(Math.random() * 1e9)
    const key = stream(seed, 1)
    const parts = ['a', 'é', '東', '🏯', '\u07ff', '\ud7ff', '\uffff'].map((text) => Buffer.from(text))
    for (let n = 0; n < 500; n++) {
      const bytes = Buffer.concat(
        Array.from({ length: 6 }, (_, k) => parts[Math.floor(unit(draw(key, 9 * n + k)) * parts.length)]),
      )
      if (n % 2) bytes[1 + (n % (bytes.length - 1))] = 1 + Math.floor(unit(draw(key, 9 * n + 7)) * 255)
      const isText = (): boolean => {
        try {
          return new TextDecoder('utf-8', { fatal: true }).decode(bytes) !== undefined
        } catch {
          return false
        }
      }
      const cut = 1 + (n % bytes.length)
      async function* pieces(): AsyncGenerator<Uint8Array> {
        yield bytes.subarray(0, cut)
        yield bytes.subarray(cut)
      }
      expect((await findForeignText(pieces())) === undefined, `seed ${seed}, ${bytes.toString('hex')}`).toBe(
        isText(),
      )
    }
  })

  it('asks whether 1,234 is one thousand where it can be both, and guesses it where it cannot', async () => {
    const unclear = await open(['city;year;people', 'A;x;1,234', 'B;x;5,678', 'A;y;1,300'])
    const question = find(unclear.understanding.questions, 'number')
    expect(question?.answers.map(({ key, reading }) => [key, reading])).toEqual([
      ['thousands', '1234'],
      ['decimal', '1.234'],
    ])
    expect(openKinds(unclear.understanding.questions, unclear)).toEqual(['number'])
    const thousands = answer(unclear, question, 'thousands')
    expect(thousands.settings.choice?.value).toBe('people')
    expect([...(await read(thousands)).tensor.values]).toEqual([1234, 5678, 1300])
    const decimal = answer(unclear, question, 'decimal')
    expect([...(await read(decimal)).tensor.values].map((x) => x.toFixed(3))).toEqual([
      '1.234',
      '5.678',
      '1.300',
    ])

    const clear = await open(['city,year,people', 'A,x,"1,234,567"', 'B,x,"5,678"', 'A,y,12'])
    expect(clear.settings.choice).toMatchObject({ thousands: ',', value: 'people' })
    expect([...(await read(clear)).tensor.values]).toEqual([1234567, 5678, 12])
  })

  /** A table of sales by day, shop and item: 1,125 may be one thousand, 1/4 is ambiguous, and a few rows repeat or are broken. */
  const messyTable = (): Promise<Table> => {
    const cells = Array.from({ length: 144 }, (_, n) => n).filter((n) => n % 5 > 0)
    const sold = (n: number): string => (n % 2 > 0 ? `"1,${100 + n}"` : String(800 + n))
    const rows = cells.map(
      (n) => `1/${1 + Math.floor(n / 12)}/2023,${'NSE'[n % 3]},item ${Math.floor(n / 3) % 4},${sold(n)}`,
    )
    const bad = ['1/3/2023,N,item 1,n/a?', '1/4/2023,N', 'garbage']
    return open(['date,shop,item,sold', ...rows, ...bad, ...rows.slice(0, 3)])
  }

  it('takes a quoted 1,137 for a value of fractions where the delimiter is a comma, too', async () => {
    const rows = (cells: readonly string[]): string[] =>
      cells.map((cell, n) => `${'xyz'[n % 3]},${'pqr'[Math.floor(n / 3)]},"${cell}"`)
    const table = await open(['a,b,v', ...rows(['1,137', '1,250', '2,300', '1,001', '4,560', '7,125'])])
    const decimal = answer(table, find(table.understanding.questions, 'number'), 'decimal')
    expect(decimal.settings.choice).toMatchObject({ modes: ['a', 'b'], value: 'v', merge: 'error' })
    const { tensor, questions } = await read(decimal)
    expect(questions).toEqual([])
    expect([...tensor.values]).toEqual([...Float32Array.of(1.137, 1.25, 2.3, 1.001, 4.56, 7.125)])

    const messy = await messyTable()
    const fractions = answer(messy, find(messy.understanding.questions, 'number'), 'decimal')
    expect(fractions.settings.choice).toMatchObject({ modes: ['day(date)', 'shop', 'item'], value: 'sold' })

    const clear = await open(['a,b,v', ...rows(['12,5', '3,25', '2,30', '1,01', '4,5', '7,10'])])
    expect(clear.settings.choice).toMatchObject({ modes: ['a', 'b'], value: 'v', decimal: ',' })
    expect([...(await read(clear)).tensor.values]).toEqual([
      ...Float32Array.of(12.5, 3.25, 2.3, 1.01, 4.5, 7.1),
    ])
  })

  it('takes the likely value and the time as such before any answer, where some rows are repeated or broken', async () => {
    const table = await messyTable()
    expect(table.settings.choice).toMatchObject({ modes: ['day(date)', 'shop', 'item'], value: 'sold' })
    const column = table.understanding.columns.find(({ name }) => name === 'sold')
    expect(column?.type).toBe('BIGINT')
    const { questions, tensor } = await read(table)
    expect(openKinds([...table.understanding.questions, ...questions], table)).toEqual([
      'dates',
      'number',
      'bad',
      'repeats',
    ])
    expect(find(questions, 'bad')).toMatchObject({ rows: 3 })
    expect(Math.max(...tensor.values)).toBeGreaterThan(1000)
  })

  it('has the same roles whatever the order of the answers', async () => {
    const table = await messyTable()
    const { questions } = await read(table)
    const all = [...table.understanding.questions, ...questions]
    const keys = { dates: '%m/%d/%Y', number: 'thousands', bad: 'skip', repeats: 'sum' }
    const kinds = Object.keys(keys) as (keyof typeof keys)[]
    const answerAll = (order: typeof kinds): Table =>
      order.reduce((answered, kind) => answer(answered, find(all, kind), keys[kind]), table)
    const expected = answerAll(kinds).settings.choice
    expect(expected).toMatchObject({ modes: ['day(date)', 'shop', 'item'], value: 'sold', merge: 'sum' })
    for (const first of kinds)
      expect(answerAll([first, ...kinds.filter((one) => one !== first).reverse()]).settings.choice).toEqual(
        expected,
      )
    expect((await read(answerAll(kinds))).tensor.dims.slice(1)).toEqual([3, 4])
  })

  it('has the same roles whether dates are answered before or after a number that is a label otherwise', async () => {
    const rows = Array.from(
      { length: 60 },
      (_, n) => `${1 + (n % 12)}/${1 + (n % 5)}/2023,s${n % 4},"1,200,${100 + n}"`,
    )
    const table = await open(['date,shop,sold', ...rows])
    const dates = find(table.understanding.questions, 'dates')
    const number = find(table.understanding.questions, 'number')
    const first = answer(answer(table, dates, '%d/%m/%Y'), number, 'text').settings.choice
    expect(answer(answer(table, number, 'text'), dates, '%d/%m/%Y').settings.choice).toEqual(first)
    expect(first).toMatchObject({ value: undefined, merge: 'count' })
  })

  it('leaves a unit away, and counts a value of another unit as a bad row', async () => {
    const rows = Array.from(
      { length: 12 },
      (_, i) => `p${i % 4};m${Math.floor(i / 4)};${i + 1}.483,5${i % 10} €`,
    )
    const table = await open(['product;month;price', ...rows, 'p9;m9;12 $'])
    expect(find(table.understanding.questions, 'unit')).toMatchObject({ column: 'price', unit: '€' })
    expect(table.settings.choice).toMatchObject({
      modes: ['product', 'month'],
      value: 'price',
      removeUnits: true,
    })
    const { tensor, questions } = await read(table)
    expect(tensor.values[0]).toBeCloseTo(1483.5, 3)
    expect(find(questions, 'bad')).toMatchObject({
      rows: 1,
      examples: [{ line: 14, column: 'price', text: '12 $' }],
    })
  })

  it('takes a word before a number for a name, and not for a unit', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `shop ${i % 3},Q${i % 4} 2024,${i}`)
    expect((await open(['shop,quarter,sales', ...rows])).settings.choice).toMatchObject({
      modes: ['shop', 'quarter'],
      value: 'sales',
    })
  })

  it('makes rows of the columns of a wide table, and asks whether that is right', async () => {
    const days = Array.from({ length: 40 }, (_, d) =>
      new Date(Date.UTC(2024, 0, 1 + d)).toISOString().slice(0, 10),
    )
    const table = await open([
      `code,station,${days.join(',')}`,
      ...[1, 2, 3].map((s) => `${s}0,S${s},${days.map((_, d) => (d % 5 === 0 ? '' : s * d)).join(',')}`),
    ])
    const question = find(table.understanding.questions, 'wide')
    expect(question).toMatchObject({ first: days[0], last: days[39], count: 40, mode: 'day' })
    expect(table.settings.choice).toMatchObject({ modes: ['station'], melt: 'day', ignored: ['code'] })
    const { tensor } = await read(table)
    expect(tensor.dims).toEqual([3, 32])
    expect(tensor.values.length).toBe(3 * 32)
    const long = answer(table, question, 'columns')
    expect(long.settings.choice?.melt).toBeUndefined()
    expect(question?.answers.map((one: Answer) => isChosen(one, long.settings))).toEqual([false, true])
  })

  it('says that empty cells of a wide table are what will be predicted', async () => {
    const days = Array.from({ length: 5 }, (_, d) => `2024-01-0${d + 1}`)
    const table = await open([`station,${days.join()}`, 'a,1,,3,,5', 'b,2,3,,4,5'])
    expect((await read(table)).remarks).toContain('3 cells are empty: they are what will be predicted.')
    const one = await open([`station,${days.join()}`, 'a,1,,3,4,5', 'b,2,3,1,4,5'])
    expect((await read(one)).remarks).toContain('One cell is empty: it is what will be predicted.')
  })

  it('takes years and numbers in the first line as the names of columns', async () => {
    const table = await open(['country,2000,2001,2002', 'A,1,2,3', 'B,4,,6'])
    expect(table.settings.choice).toMatchObject({ modes: ['country'], melt: 'year' })
    expect((await read(table)).tensor.labels).toEqual([
      ['A', 'B'],
      ['2000', '2001', '2002'],
    ])
  })

  it('numbers the rows of a matrix without names', async () => {
    const table = await open(['1,2,3,4,5,6,7', '2,3,4,5,6,7,8', '3,,5,6,7,8,9'])
    const { tensor } = await read(table)
    expect(tensor.dims).toEqual([3, 7])
    expect(tensor.values.length).toBe(20)
  })

  /** Responses of subjects to doses over hours, two thirds of them; doses are fractions. */
  const doseTable = (sign: string): Promise<Table> => {
    const rows = Array.from({ length: 360 }, (_, n) => n).filter((n) => n % 3 > 0)
    const cells = rows.map((n) => [
      Math.floor(n / 36),
      [1, 2.5, 5, 10][Math.floor(n / 9) % 4],
      2 * (n % 9),
      ((n * 7919) % 1000) / 1000,
    ])
    return open([
      ['subject', 'dose', 'hour', 'response'].join(sign),
      ...cells.map((row) => row.map((x) => String(x).replace('.', sign === ';' ? ',' : '.')).join(sign)),
    ])
  }

  it('takes fractions with few values for a mode where rows would repeat without them', async () => {
    for (const sign of [',', ';']) {
      const table = await doseTable(sign)
      expect(table.settings.choice).toMatchObject({ modes: ['subject', 'dose', 'hour'], value: 'response' })
      const { tensor, questions } = await read(table)
      expect(questions).toEqual([])
      expect(labelsOf(tensor)?.[1]).toEqual(['1.0', '2.5', '5.0', '10.0'])
    }
  })

  it('offers the columns that tell repeated rows apart, and keeps that answer whatever else is answered', async () => {
    const table = await doseTable(',')
    const choice = { ...table.settings.choice!, modes: ['subject', 'hour'] }
    const without = { ...table, settings: { ...table.settings, choice } }
    const { questions } = await read(without)
    const repeats = find(questions, 'repeats')
    expect(repeats?.answers.map(({ key }) => key)).toEqual(['sum', 'mean', 'last', 'apart dose'])
    const apart = answer(without, repeats, 'apart dose')
    expect(apart.settings.choice?.modes).toEqual(['subject', 'dose', 'hour'])
    expect(openKinds(questions, apart)).toEqual([])
    expect((await read(apart)).questions).toEqual([])
    const messy = await messyTable()
    const ignored = { ...messy.settings.choice!, modes: ['shop', 'item'] }
    const timeless = { ...messy, settings: { ...messy.settings, choice: ignored } }
    const asked = find((await read(timeless)).questions, 'repeats')
    const days = answer(timeless, asked, 'apart date')
    const dates = find(messy.understanding.questions, 'dates')
    // Read as the first days of months, weeks would do; the answer keeps the days.
    expect(answer(days, dates, '%d/%m/%Y').settings.choice?.modes).toEqual(['day(date)', 'shop', 'item'])
  })

  it('says in terms of the page that dates whose format is chosen are kept as text', async () => {
    const table = await messyTable()
    const asText = { ...table.settings.choice!, modes: ['date', 'shop', 'item'], dates: ['%m/%d/%Y'] }
    const { questions, remarks } = await read({ ...table, settings: { ...table.settings, choice: asText } })
    expect(remarks.join()).not.toContain('modes')
    const question = find(questions, 'dateTexts')
    expect(question).toMatchObject({ column: 'date', isNeeded: false })
    const settings = { ...table.settings, choice: asText }
    expect(answer({ ...table, settings }, question, 'day').settings.choice?.modes).toEqual([
      'day(date)',
      'shop',
      'item',
    ])
  })

  /** Prices by store, with its name and city, product and month: a third of the stores are in each city. */
  const storeTable = (months = 12): Promise<Table> => {
    const rows = Array.from({ length: 9 * 4 * months }, (_, n) => n).filter((n) => n % 5 > 0)
    const lines = rows.map((n) => {
      const [store, rest] = [Math.floor(n / (4 * months)), n % (4 * months)]
      const month = new Date(Date.UTC(2000, Math.floor(rest / 4))).toISOString().slice(0, 7)
      return `${100 + store},Shop ${'ABCDEFGHI'[store]},${['Rome', 'Oslo', 'Bern'][store % 3]},item ${n % 4},${month},${n / 8}`
    })
    return open(['store_id,store_name,city,product,month,price', ...lines])
  }

  it('leaves out what depends on a mode: ids with names, and attributes; a click takes them as modes', async () => {
    const table = await storeTable()
    expect(table.settings.choice).toMatchObject({ modes: ['store_name', 'product', 'month'], value: 'price' })
    const { questions } = table.understanding
    const names = find(questions, 'names')
    const attribute = find(questions, 'attribute')
    expect(names).toMatchObject({ column: 'store_id', on: 'store_name', isNeeded: false })
    expect(attribute).toMatchObject({ column: 'city', on: 'store_name', isNeeded: false })
    for (const question of [names!, attribute!])
      expect(question.answers.map((one) => isChosen(one, table.settings)).indexOf(true)).toBe(0)
    const ids = answer(table, names, 'column')
    expect(ids.settings.choice?.modes).toEqual(['store_id', 'product', 'month'])
    expect(answer(ids, attribute, 'mode').settings.choice?.modes).toEqual([
      'store_id',
      'city',
      'product',
      'month',
    ])
    expect((await read(table)).tensor.dims).toEqual([9, 4, 12])
    // Where not all rows were seen, two stores may have the same name.
    expect((await storeTable(240)).settings.choice?.modes).toEqual(['store_id', 'product', 'month'])
  })

  it('takes no column for dependent by chance, or where too few would remain', async () => {
    const few = ['a,x,1,3', 'a,x,2,4', 'b,y,1,3', 'b,y,2,5', 'c,y,1,7', 'c,y,2,8']
    expect((await open(['shop,city,week,sales', ...few])).settings.choice?.modes).toEqual([
      'shop',
      'city',
      'week',
    ])
    const rows = Array.from({ length: 200 }, (_, n) => `p${n % 20},w${n % 4},${n / 8}`)
    expect((await open(['patient,ward,pressure', ...rows])).settings.choice?.modes).toEqual([
      'patient',
      'ward',
    ])
  })

  it('takes a weight beside a measurement for its weight, and asks which is the value', async () => {
    const rows = Array.from(
      { length: 96 },
      (_, n) => `R${n % 8},${1 + Math.floor(n / 8)},${n / 8 - 3},${1 + (n % 5)}`,
    )
    for (const name of ['weight', 'n']) {
      const table = await open([`region,month,temp,${name}`, ...rows])
      expect(table.settings.choice).toMatchObject({ modes: ['region', 'month'], value: 'temp', weight: name })
      const question = find(table.understanding.questions, 'value')
      expect(question?.answers.map((one) => isChosen(one, table.settings))).toEqual([true, false, false])
      expect((await read(table)).tensor.weights?.slice(0, 3)).toEqual(Float32Array.of(1, 2, 3))
      const alone = answer(table, question, 'value')
      expect(alone.settings.choice).toMatchObject({ value: 'temp', weight: undefined })
      const other = answer(alone, question, 'weight')
      expect(other.settings.choice).toMatchObject({
        value: name,
        weight: undefined,
        modes: ['region', 'month'],
      })
      expect(question?.answers.map((one) => isChosen(one, other.settings))).toEqual([false, false, true])
    }
  })

  it('keeps counts for the value beside a price, and asks; edges of a graph have no other number', async () => {
    const rows = Array.from(
      { length: 96 },
      (_, n) => `a${n % 8},${1 + Math.floor(n / 8)},${n * 1.25},${1 + (n % 5)}`,
    )
    const priced = await open(['shop,week,price,count', ...rows])
    expect(priced.settings.choice).toMatchObject({ modes: ['shop', 'week'], value: 'count' })
    expect(find(priced.understanding.questions, 'value')).toMatchObject({ value: 'price', weight: 'count' })
    const counted = await open(['shop,week,count,weight', ...rows])
    expect(counted.settings.choice).toMatchObject({ value: 'count', weight: 'weight' })
    const edges = Array.from({ length: 96 }, (_, n) => `${n % 8},${20 + ((n * 7) % 31)},${1 + (n % 5)}`)
    const graph = await open(['from,to,weight', ...edges])
    expect(graph.settings.choice).toMatchObject({ modes: ['from', 'to'], value: 'weight' })
    expect(find(graph.understanding.questions, 'value')).toBeUndefined()
  })

  it('counts repeated rows, and merges them by the answer', async () => {
    const table = await open(['shop,product,sales', 'a,x,1', 'b,x,2', 'a,y,5', 'a,x,4', 'a,x,6'])
    const { questions } = await read(table)
    expect(openKinds(questions, table)).toEqual(['repeats'])
    expect(find(questions, 'repeats')).toMatchObject({ rows: 2 })
    const first = async (key: string): Promise<number> => {
      const data = await read(answer(table, find(questions, 'repeats'), key))
      expect(find(data.questions, 'repeats')).toMatchObject({ rows: 2 })
      return data.tensor.values[0]
    }
    expect([await first('sum'), await first('last')]).toEqual([11, 6])
    expect(await first('mean')).toBeCloseTo(11 / 3, 5)
  })

  it('counts and lists rows that cannot be read, and leaves them out by the answer', async () => {
    const good = Array.from(
      { length: 60 },
      (_, i) => `s${i % 6},2024-01-${String(1 + Math.floor(i / 6)).padStart(2, '0')},${i}`,
    )
    const table = await open([
      'shop,day,sales',
      ...good,
      's1,2024-02-01,abc',
      's2,2024-02-01',
      's3,yesterday,4',
      's4,2024-02-01,n/a',
    ])
    const { questions, tensor } = await read(table)
    expect(openKinds(questions, table)).toEqual(['bad'])
    expect(find(questions, 'bad')).toMatchObject({
      rows: 3,
      examples: [
        { line: 62, column: 'sales', text: 'abc' },
        { line: 63, fields: 2, text: 's2,2024-02-01' },
        { line: 64, column: 'day', text: 'yesterday' },
      ],
    })
    const left = answer(table, find(questions, 'bad'), 'skip')
    const data = await read(left)
    expect(openKinds(data.questions, left)).toEqual([])
    expect(data.tensor.values.length).toBe(60)
    expect(tensor.values.length).toBe(60)
    // The rows that cannot be read are not counted as empty, too.
    expect(data.remarks).toEqual([
      expect.stringContaining('one row is left out, since a mode or the value is'),
    ])
  })

  it('asks about negative values', async () => {
    const table = await open(['a,b,value', 'x,1,3', 'x,2,-2', 'y,1,-4'])
    const { questions } = await read(table)
    expect(find(questions, 'negative')).toMatchObject({ entries: 2 })
    expect([...(await read(answer(table, find(questions, 'negative'), 'clip'))).tensor.values]).toEqual([
      3, 0, 0,
    ])
  })

  it('keeps answered questions about repeated rows and negative values, whatever is answered after them', async () => {
    const table = await messyTable()
    const { questions } = await read(table)
    for (const key of ['thousands', 'decimal']) {
      const merged = answer(table, find(questions, 'repeats'), 'mean')
      const both = answer(merged, find(table.understanding.questions, 'number'), key)
      const repeats = find((await read(both)).questions, 'repeats')
      expect(repeats).toMatchObject({ rows: 3 })
      expect(repeats?.answers.find((one) => isChosen(one, both.settings))?.key).toBe('mean')
    }

    const rows = Array.from(
      { length: 24 },
      (_, n) => `s${n % 4};p${Math.floor(n / 4)};${n % 5 ? '' : '-'}1,${100 + n}`,
    )
    const signed = await open(['shop;product;change', ...rows])
    const asked = (await read(signed)).questions
    for (const policy of ['keep', 'clip'])
      for (const key of ['thousands', 'decimal']) {
        const allowed = answer(signed, find(asked, 'negative'), policy)
        const both = answer(allowed, find(signed.understanding.questions, 'number'), key)
        const negative = find((await read(both)).questions, 'negative')
        expect(negative).toMatchObject({ entries: 5 })
        expect(negative?.answers.find((one) => isChosen(one, both.settings))?.key).toBe(policy)
      }
  })

  it('asks about repeated rows and negative values where the settings have the answers from the start', async () => {
    const table = await open(['a,b,value', 'x,1,3', 'x,2,-2', 'y,1,-4', 'y,1,1'])
    for (const negative of ['keep', 'clip'] as const) {
      const choice = { ...table.settings.choice!, merge: 'sum' as const }
      const { questions } = await read({ ...table, settings: { ...table.settings, choice, negative } })
      expect(find(questions, 'repeats')).toMatchObject({ rows: 1 })
      expect(find(questions, 'negative')).toMatchObject({ entries: 2 })
    }
    const once = await open(['a,b,value', 'x,1,3', 'x,2,2', 'y,1,4'])
    const choice = { ...once.settings.choice!, merge: 'sum' as const }
    const settings = { ...once.settings, choice, negative: 'clip' as const }
    expect((await read({ ...once, settings })).questions).toEqual([])
  })

  it('counts events at places and times, and never takes a coordinate for the value', async () => {
    const table = await open([
      '"Date/Time","Lat","Lon","Base"',
      '"4/1/2014 0:11:00",40.769,-73.9549,"B02512"',
      '"4/1/2014 0:17:00",40.7712,-73.9467,"B02512"',
      '"4/13/2014 8:21:00",40.7316,-73.9873,"B02512"',
    ])
    expect(table.settings.choice).toMatchObject({
      modes: ['day(Date/Time)', 'hour(Date/Time)', 'place'],
      place: { latitude: 'Lat', longitude: 'Lon', decimals: 2 },
      merge: 'count',
    })
    expect(table.settings.choice?.value).toBeUndefined()
    const { tensor } = await read(table)
    expect(tensor.labels?.[2]).toEqual(['40.73, -73.99', '40.77, -73.95'])
    expect([...tensor.values]).toEqual([2, 1])
  })

  it('keeps places of values apart that have a grid of their own', async () => {
    const { choice } = (await open(['latitude,longitude,hour,rides', '43.365,-8.41,1,5', '43.37,-8.415,1,6']))
      .settings
    expect(choice).toMatchObject({ modes: ['place', 'hour'], value: 'rides', place: { decimals: 3 } })
  })

  it('takes a time for a mode only where rows need it to differ', async () => {
    const ratings = await open([
      'userId,movieId,rating,timestamp',
      '1,10,4,964982703',
      '1,11,3,964981247',
      '2,10,5,964982224',
    ])
    expect(ratings.settings.choice).toMatchObject({ modes: ['userId', 'movieId'], value: 'rating' })
    const panel = await open([
      'shop,product,day,sales',
      'a,x,2024-01-01,1',
      'a,x,2024-01-02,2',
      'b,x,2024-01-01,3',
    ])
    expect(panel.settings.choice?.modes).toEqual(['shop', 'product', 'day(day)'])
  })

  it('tells files of the same name, size and time apart: the one that was opened last, and a test file', async () => {
    const named = (value: number): File =>
      new File([`a,b,v\n${['x,y', 'x,z', 'w,y'].map((cell) => `${cell},${value}\n`).join('')}`], 'part.csv', {
        lastModified: 0,
      })
    const values = async (file: File, like?: TensorModel): Promise<number[]> => {
      const settings: ReadSettings = { choice, negative: 'error', merge: 'error' }
      return [...(await readFile(file, settings, () => {}, like)).tensor.values]
    }
    await inspectFile(named(1))
    const { opened } = await inspectFile(named(2))
    const choice = opened.kind === 'table' ? opened.choice : undefined
    expect(await values(named(2))).toEqual([2, 2, 2])
    const { tensor } = await readFile(named(2), { choice, negative: 'error', merge: 'error' }, () => {})
    const { model } = await complete(tensor, { rank: 1, epochs: 1 })
    expect(await values(named(3), model)).toEqual([3, 3, 3])
    expect(await values(named(2))).toEqual([2, 2, 2])
  })

  it('does not read the table again where an answer is what was assumed', async () => {
    const cells = Array.from({ length: 40 }, (_, n) => `s${n % 7},${1 + (n % 5)}/4/2014,${n}`)
    const rows = [...cells, 's0,1/4/2014,7', 's1,2/4/2014,x']
    const table = await open(['shop,day,sales', ...rows])
    const assumed = await read(table)
    expect(openKinds(assumed.questions, table)).toEqual(['bad', 'repeats'])
    let answered = table
    for (const question of [...table.understanding.questions, ...assumed.questions])
      answered = answer(answered, question, question.answers[0].key)
    const { questions, tensor } = await read(answered)
    expect(openKinds([...table.understanding.questions, ...questions], answered)).toEqual([])
    expect(tensor).toBe(assumed.tensor)
    const dates = find(table.understanding.questions, 'dates')
    const other = await read(answer(answered, dates, dates!.answers[1].key))
    expect(labelsOf(other.tensor)?.[1]).not.toEqual(labelsOf(tensor)?.[1])
  })

  it('takes a column called row for a mode where its cells repeat', async () => {
    const cells = Array.from({ length: 48 }, (_, n) => `r${Math.floor(n / 6)},c${n % 6},${n}`)
    const { settings } = await open(['row,column,value', ...cells])
    expect(settings.choice).toMatchObject({ modes: ['row', 'column'], value: 'value' })
  })

  it('leaves free text out', async () => {
    const rows = Array.from({ length: 80 }, (_, i) => `s${i % 8},p${Math.floor(i / 8)},note ${i},${i}`)
    expect((await open(['shop,product,remark,sales', ...rows])).settings.choice?.modes).toEqual([
      'shop',
      'product',
    ])
  })

  it('keeps roles that the user has chosen when a question is answered', async () => {
    const table = await open(['shop,day,sales,cost', 'a,1/4/2014,3,1', 'b,2/4/2014,4,2', 'a,3/4/2014,5,2'])
    const edited = {
      ...table,
      settings: { ...table.settings, choice: { ...table.settings.choice!, value: 'sales', edited: true } },
    }
    expect(
      answer(edited, find(table.understanding.questions, 'dates'), '%d/%m/%Y').settings.choice,
    ).toMatchObject({
      value: 'sales',
      dates: ['%d/%m/%Y'],
    })
  })
})
