import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type AnswerTableOptions, answerTable, readTable } from '#lacuna/io/node/index.js'
import { CpModel, partialPredictor, RowPredictor } from '#lacuna/model/index.js'
import { rejection } from '../pieces.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-predict-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, content?: string) => {
  const path = join(folder, name)
  if (content !== undefined) writeFileSync(path, content)
  return path
}

const model = new CpModel({
  dims: [3, 2, 2],
  rank: 1,
  factors: [Float32Array.of(1, 2, 3), Float32Array.of(1, 10), Float32Array.of(1, 0.5)],
  labels: [
    ['01', '1', 'ä, "b"'],
    ['7', '8'],
    ['2024-01-01', '2024-01-08'],
  ],
  modes: [
    { name: 'user', type: 'VARCHAR' },
    { name: 'item', type: 'BIGINT' },
    { name: 'week(seen)', type: 'DATE' },
  ],
})

type Asked = Partial<AnswerTableOptions> & { fallback?: number | 'mean' }

async function predictTable(asked: CpModel, path: string, { fallback, ...options }: Asked) {
  const predictor = new RowPredictor(asked, fallback)
  await answerTable(path, asked, (batch) => predictor.predict(batch), options as AnswerTableOptions)
  return { rows: predictor.rows, unknown: predictor.unknown, error: predictor.error() }
}

async function ask(path: string, options: Asked = {}, asked = model) {
  let text = ''
  const output = {
    format: 'csv' as const,
    write: async (piece: string) => {
      text += piece
    },
  }
  const told = await predictTable(asked, path, { output, ...options })
  return { text, ...told }
}

const rows = [
  'note,item,user,seen,x',
  '4.50,7,01,2024-01-03,1',
  ',8,1,2024-01-09 12:00:00,10',
  '"a,b",8,"ä, ""b""",2024-01-01,20',
  '007,9,01,2024-01-01,5',
  '007,7,01,2030-01-01,5',
  '007,,01,2024-01-01,',
]
const queries = file('q.csv', `${rows.join('\n')}\n`)

describe('predictions for a table', () => {
  test('predictions for a table are its rows in order, with a prediction where the labels are known', async () => {
    const { text, ...told } = await ask(queries, { value: 'x' })
    const expected = ['prediction', '1', '10', '30', '', '', '']
    expect(text).toBe(rows.map((row, r) => `${row},${expected[r]}\n`).join(''))
    expect(told).toMatchObject({ rows: 6, unknown: 3, error: { entries: 3, mae: 10 / 3 } })
  })

  test('predictions for unknown labels may fall back on a number or on the mean', async () => {
    expect(
      (await ask(queries, { fallback: 4.5 })).text
        .trim()
        .split('\n')
        .slice(-3)
        .map((line) => line.split(',').at(-1)),
    ).toEqual(['4.5', '4.5', '4.5'])
    const { text } = await ask(queries, { fallback: 'mean' })
    // item 9 is not known: the mean over items 7 and 8; nor is the week of 2030; nor is an item that is not given
    expect(
      text
        .trim()
        .split('\n')
        .slice(-3)
        .map((line) => line.split(',').at(-1)),
    ).toEqual(['5.5', '0.75', '5.5'])
  })

  test.each(['csv', 'csv.gz', 'tsv', 'json', 'ndjson', 'parquet'])(
    'predictions are written as .%s by the ending of the file',
    async (ending) => {
      const output = file(`out.${ending}`)
      expect(await predictTable(model, queries, { output, fallback: 9 })).toMatchObject({
        rows: 6,
        unknown: 3,
      })
      const back = await readTable(output, {
        query: 'SELECT row_number() OVER () AS n, 1 AS one, prediction FROM data',
        modes: ['raw:n', 'raw:one'],
        value: 'prediction',
      })
      expect([...back.values]).toEqual([1, 10, 30, 9, 9, 9])
    },
  )

  test('predictions stay in order over many rows, and a column called prediction keeps its name', async () => {
    const many = Array.from(
      { length: 150_000 },
      (_, r) => `${r},${r % 2 ? '01' : 'nobody'},7,2024-01-01,${r}`,
    )
    const output = file('many-out.csv')
    await predictTable(model, file('many.csv', `prediction,user,item,seen,n\n${many.join('\n')}\n`), {
      output,
    })
    const lines = readFileSync(output, 'utf8').trim().split('\n')
    expect(lines[0]).toBe('prediction,user,item,seen,n,prediction_1')
    const wrong = lines.slice(1).filter((line, r) => line !== `${many[r]},${r % 2 ? '1' : ''}`)
    expect(wrong).toEqual([])
  })

  test.each(['csv', 'ndjson', 'parquet'])(
    'predictions in a .%s file may have several columns',
    async (ending) => {
      const output = file(`several.${ending}`)
      const asked = file(
        'several-asked.csv',
        'low,user,item,seen\n5,01,7,2024-01-03\n6,nobody,8,2024-01-01\n',
      )
      const answer = ({ indices }: { indices: readonly Float64Array[] }): Float64Array[] => {
        const said = Float64Array.from(indices[0], (row) => (row < 0 ? NaN : row + 2))
        return [said, said.map((y) => y - 1), said.map((y) => y + 1)]
      }
      await answerTable(asked, model, answer, { output, answers: ['prediction', 'low', 'high'] })
      const back = await readTable(output, {
        query:
          "SELECT k, unnest([low, prediction, low_1, coalesce(high, 9)]) AS x, unnest(['a', 'b', 'c', 'd']) AS c FROM (SELECT *, row_number() OVER () AS k FROM data)",
        modes: ['raw:k', 'c'],
        value: 'x',
      })
      expect([...back.values]).toEqual([5, 2, 1, 3, 6, 9]) // where there is no answer, nothing is said
    },
  )

  test('the modes of a model without names are found by number or by position', async () => {
    const plain = new CpModel({
      dims: [2, 3],
      rank: 1,
      factors: [Float32Array.of(1, 2), Float32Array.of(1, 3, 5)],
    })
    expect((await ask(file('p.csv', 'a,b\n2,3\n1,2\n3,1\n1.5,1\n'), {}, plain)).text).toBe(
      'a,b,prediction\n2,3,10\n1,2,3\n3,1,\n1.5,1,\n',
    )
    expect((await ask(file('m.csv', 'x,mode_2,mode_1\n9,3,2\n'), {}, plain)).text).toBe(
      'x,mode_2,mode_1,prediction\n9,3,2,10\n',
    )
  })

  test.each<[string, () => Promise<unknown>, string]>([
    ['a missing column', () => ask(file('none.csv', 'user,item\n1,7\n')), 'there is no column "seen"'],
    ['a value that is none', () => ask(queries, { value: 'nope' }), 'there is no column "nope"'],
    [
      'a foreign ending',
      () => predictTable(model, queries, { output: file('x.tns') }),
      'x.tns: predictions for a table are a table',
    ],
    [
      'too few columns',
      () =>
        ask(
          file('one.csv', 'a\n1\n'),
          {},
          new CpModel({ dims: [1, 1], rank: 1, factors: [Float32Array.of(1), Float32Array.of(1)] }),
        ),
      'the model has 2 modes, but the table only the columns a',
    ],
    [
      'ragged rows',
      () =>
        predictTable(
          model,
          file('ragged.csv', 'user,item,seen\n01,7,2024-01-01\n01,7\n01,7,2024-01-01,5\n'),
          {
            output: file('ragged-out.csv'),
          },
        ),
      'ragged.csv',
    ],
  ])('predictions refuse %s in a sentence, and leave no file', async (_, work, message) => {
    const before = readdirSync(folder).filter((name) => name.includes('out') || name.endsWith('.tmp'))
    expect((await rejection(work())).message).toContain(message)
    expect(readdirSync(folder).filter((name) => name.includes('out') || name.endsWith('.tmp'))).toEqual(
      before,
    )
    expect(existsSync(file('ragged-out.csv'))).toBe(false)
  })

  test('predictions are compared with observed values only if the table has them', async () => {
    expect((await ask(queries, { value: { ifPresent: 'nope' } })).error).toBeUndefined()
    expect((await ask(queries, { value: { ifPresent: 'x' } })).error).toBeDefined()
  })
})

test('the mean over an unknown index is the mean of the predictions', () => {
  const { dims } = model
  const ask = partialPredictor(model)
  expect(ask([2, 1, 0])).toBe(model.predict([2, 1, 0]))
  const slice = model.slice([null, 1, null]).values
  expect(ask([null, 1, null])).toBeCloseTo(slice.reduce((sum, y) => sum + y, 0) / (dims[0] * dims[2]), 5)
})
