import { describe, expect, test } from 'vitest'
import { asFlag } from '#dist/cli/failure.js'
import { inWords } from '#dist/inputError.js'
import { readTable } from '#dist/io/node/index.js'
import { rejection } from '../pieces.ts'
import { write } from '../tables.ts'

describe('guesses', () => {
  const guessed = async (columns: string, row: string): Promise<string> => {
    const remarks: string[] = []
    await readTable(write('g.csv', `${columns}\n${row}\n`), {
      onRemark: ({ sentence }) => remarks.push(inWords(sentence, asFlag)),
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
  ])('%s', async (columns, row, expected) => {
    expect(await guessed(columns, row)).toBe(expected)
  })

  test('are refused where there are not two modes to be seen', async () => {
    const { message } = await rejection(guessed('lat,lon,depth', '1.5,2.5,3.5'))
    expect(message).toContain('name at least two with modes')
    expect(message).toContain('the columns are lat, lon, depth')
  })
})
