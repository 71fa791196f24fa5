import { describe, expect, test } from 'vitest'
import { asFlag } from '#cli/process/failure.ts'
import { formatSentence } from '#lacuna/base/inputError.js'
import { readTable } from '#lacuna/io/node/index.js'
import { rejection } from '../pieces.ts'
import { at, write } from '../tables.ts'

describe('guesses', () => {
  const guessed = async (columns: string, row: string): Promise<string> => {
    const remarks: string[] = []
    await readTable(write('g.csv', `${columns}\n${row}\n`), {
      onRemark: ({ sentence }) => remarks.push(formatSentence(sentence, asFlag)),
    })
    return remarks[0].replace(/^.*taken as /, '')
  }

  test.each([
    [
      'userId,movieId,rating,timestamp',
      '1,2,3.5,964982703',
      `--modes userId movieId 'week(timestamp)' --value rating`,
    ],
    ['city,day,temperature', 'Rome,3,20.5', '--modes city day --value temperature'],
    ['sensor,when,reading', 'a,2020-01-01 00:00:00,4', `--modes sensor 'week(when)' --value reading`],
    ['i,j,k,x', '1,2,3,4', '--modes i j k --value x'],
    ['id,paid,who,what', '1,2,ann,tea', '--modes who what --value paid'],
    ['who,what', 'ann,tea', '--modes who what, rows counted'],
    ['user_id,item_id,comment,score', '1,2,good,5', '--modes user_id item_id --value score'],
  ])('modes and value are guessed from the columns %s', async (columns, row, expected) => {
    expect(await guessed(columns, row)).toBe(expected)
  })

  test('a column called row or id is a mode where its cells repeat, and numbers the rows where they do not', async () => {
    const lines = (rows: readonly string[]): string => rows.join('\n')
    const repeated = lines(['1,a,3', '1,b,4', '2,a,5'])
    expect(await guessed('row,column,value', repeated)).toBe('--modes row column --value value')
    expect(await guessed('id,item,value', repeated)).toBe('--modes id item --value value')
    const numbered = lines(['1,a,x,3', '2,a,y,4', '3,b,x,5'])
    expect(await guessed('id,who,what,value', numbered)).toBe('--modes who what --value value')
  })

  test('guessing is refused where there are not two modes', async () => {
    const { message } = await rejection(guessed('lat,lon,depth', '1.5,2.5,3.5'))
    expect(message).toContain('name at least two with modes')
    expect(message).toContain('the columns are lat, lon, depth')
  })

  const told = async (text: string, name = 'g.csv') => {
    const remarks: { text: string; guess: boolean }[] = []
    const tensor = await readTable(write(name, text), {
      onRemark: ({ text, guess }) => remarks.push({ text: text.replaceAll(at(''), ''), guess }),
    })
    return { tensor, remarks, guesses: remarks.filter(({ guess }) => guess).map(({ text }) => text) }
  }

  test('guesses rest on names and most cells of a column, not on a few marks', async () => {
    const rows = Array.from(
      { length: 20 },
      (_, r) => `u${r},i${r % 4},${r === 6 ? 'N/A' : 1 + (r % 5)},9.99\n`,
    )
    const { tensor, guesses } = await told(`user,item,rating,price\n${rows.join('')}`)
    expect(tensor).toMatchObject({ valueName: 'rating', dims: [19, 4], values: { length: 19 } })
    expect(guesses).toEqual([
      "g.csv: taken as modes: ['user', 'item'] value: 'rating'",
      'g.csv: a cell is taken as empty ("N/A" in g.csv, line 8)',
    ])
  })

  test.each([
    [
      'user,item,rating,price',
      'ann,tea,good,1.5',
      /line 7: rating is "good", which is no number; mend it or leave it empty/,
    ],
    ['user,item,depth', 'ann,tea,deep', /line 7: depth is "deep", which is no number/],
    ['user,item,rating', 'ann,tea,4;5', /line 7: rating is "4;5", which is no number/],
  ])(
    'the error names the cell that is no number in the guessed value of %s',
    async (columns, row, message) => {
      const others = Array.from(
        { length: 40 },
        (_, r) => `u${r},i${r},${r}${columns.endsWith('price') ? ',1.5' : ''}\n`,
      )
      others[5] = `${row}\n`
      expect((await rejection(told(`${columns}\n${others.join('')}`))).message).toMatch(message)
    },
  )

  test('a column is guessed as numbers if nine tenths of it are, or half if it is called a value', async () => {
    const table = (column: string, spoilt: number): string => {
      const rows = Array.from({ length: 100 }, (_, r) => `u${r},i${r},${r < spoilt ? `x${r}` : r + 0.5}\n`)
      return `user,item,${column}\n${rows.join('')}`
    }
    // Numbers that are spoilt are refused by the first of them; text is a mode, or is refused as a whole.
    expect((await rejection(told(table('depth', 9)))).message).toMatch(
      /line 2: depth is "x0" and 8 more .* no number/,
    )
    expect((await rejection(told(table('depth', 11)))).message).toContain(
      'the column depth has numbers, but also "x0"',
    )
    expect((await told(table('depth', 51))).guesses.join()).not.toContain("value: 'depth'")
    expect((await rejection(told(table('rating', 49)))).message).toMatch(/line 2: rating is "x0"/)
    expect((await rejection(told(table('rating', 51)))).message).toContain(
      'should be numbers, but it is text',
    )
  })

  test('text is not guessed as the value, and rows are not counted where a column is called a value', async () => {
    const { message } = await rejection(told('user,item,rating\nann,tea,good\nbo,jam,bad\n'))
    expect(message).toContain('the column rating should be numbers, but it is text, such as "good"')
  })

  test('guesses leave out the row numbers that pandas writes without a name', async () => {
    for (const header of [',user,item,rating', 'Unnamed: 0,user,item,rating']) {
      const { guesses } = await told(`${header}\n0,ann,tea,3\n1,bo,tea,4\n2,bo,jam,5\n`)
      expect(guesses).toEqual(["g.csv: taken as modes: ['user', 'item'] value: 'rating'"])
    }
    // In a table without any names they may be anything.
    const headless = await told('1,ann,3\n2,bo,4\n3,cy,5\n')
    expect(headless.tensor.modes?.map(({ name }) => name)).toEqual(['column0', 'column1'])
    // The same numbers under a name of their own are a mode.
    expect((await told('step,user,rating\n0,ann,3\n1,bo,4\n')).tensor.modes?.map(({ name }) => name)).toEqual(
      ['step', 'user'],
    )
  })

  test('guessing refuses dates that may be read in more than one way', async () => {
    const { message } = await rejection(told('who,when,value\nann,01/02/2024,1\nbo,03/04/2024,2\n'))
    expect(message).toContain(
      `("01/02/2024") are not written as ISO writes them (2014-04-01), and may be read in more`,
    )
    expect(message).toContain("dates: '%m/%d/%Y' or '%d/%m/%Y'")
  })

  test('a guessed decimal comma is reported, and refused where it may group thousands', async () => {
    const { tensor, guesses } = await told('who;what;value\nann;tea;4,5\nbo;jam;3,25\nbo;tea;2\n')
    expect([...tensor.values]).toEqual([4.5, 3.25, 2])
    expect(guesses[0]).toBe('g.csv: a comma stands before the fraction of a number')
    const headless = await told('ann;tea;3,5\nbo;jam;4,25\n')
    expect([...headless.tensor.values]).toEqual([3.5, 4.25])
    for (const text of ['who;value\nann;1,234\nbo;5,678\n', 'who;x;value\nann;1.5;4,5\nbo;2.5;3,5\n'])
      expect((await rejection(told(text))).message).toContain(
        "say decimal: ',' if it stands before fractions, thousands: ',' if between thousands",
      )
  })

  test('a table without rows is refused as such', async () => {
    expect((await rejection(told('user,item,rating\n'))).message).toContain(
      'there are no rows, only the columns user, item, rating.',
    )
  })
})

describe('decimal commas', () => {
  const text = 'who;share;value\nann;0,5;4,5\nbo;1,0;1e1\ncy;0,50;7\n'

  test('decimal commas are read in labels and values, by Lacuna and by DuckDB', async () => {
    for (const query of [undefined, 'SELECT * FROM data']) {
      const tensor = await readTable(write('c.csv', text), {
        modes: ['who', 'share', 'bins(share, 1)'],
        value: 'value',
        decimal: ',',
        ...(query && { query }),
      })
      expect(tensor.labels?.slice(1)).toEqual([
        ['0.5', '1.0'],
        ['0.0', '1.0'],
      ])
      expect([...tensor.values]).toEqual([4.5, 10, 7])
    }
  })

  test('a decimal point is an error where commas are decimal separators', async () => {
    const points = write('p.csv', 'who;what;value\nann;a;4,5\nbo;b;1.000\n')
    const read = readTable(points, { modes: ['who', 'what'], value: 'value', decimal: ',' })
    expect((await rejection(read)).message).toContain(
      'line 3: the value value is "1.000", but a comma stands before fractions in this table',
    )
  })
})
