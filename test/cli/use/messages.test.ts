/** Messages that name what works: files of other encodings, tables of places, and outputs that are not written. */
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeLeftOut } from '#cli/commands/complete/report/crossFitReport.ts'
import { fitText } from '#cli/options/help.ts'
import { exampleFolder } from '../exampleFolder.ts'

const { file, run } = exampleFolder('messages')

it('text in Latin-1 is refused with a command that converts it, also under a name with blanks', async () => {
  writeFileSync(file('my sales.csv'), Buffer.from('shop;day;sold\nKöln;1;2\nUlm;2;3\n', 'latin1'))
  const { code, stderr } = await run('info', 'my sales.csv', '--modes', 'shop', 'day', '--value', 'sold')
  expect(code).toBe(2)
  expect(stderr).toContain("iconv -f windows-1252 -t utf-8 'my sales.csv' > 'my sales.utf8.csv'.")
})

it('a table of times and places without a value is counted by place, or read by its recipe', async () => {
  const rows = ['4/1/2014 0:11:00,40.769,-73.9549,B1', '4/13/2014 0:17:00,40.7267,-74.0345,B2']
  writeFileSync(file('uber.csv'), `Date/Time,Lat,Lon,Base\n${rows.join('\n')}\n`)
  const uber = await run('info', 'uber.csv')
  expect(uber).toMatchObject({ code: 2, stderr: expect.stringContaining('which --recipe uber reads') })
  expect((await run('info', 'uber.csv', '--recipe', 'uber')).code).toBe(0)
  const places = ['2024-04-01 10:00,52.51,13.41,x', '2024-04-02 11:00,52.53,13.44,y']
  writeFileSync(file('places.csv'), `time,lat,lon,kind\n${places.join('\n')}\n`)
  const { code, stderr } = await run('info', 'places.csv')
  expect(code, stderr).toBe(0)
  expect(stderr).toContain(
    "--modes 'day(time)' 'bins(lat, 0.01)' 'bins(lon, 0.01)' without a value counts the rows by place",
  )
})

it('outputs that are not written, and arrays as queries, are refused with those that are', async () => {
  writeFileSync(file('gaps.csv'), 'a,b,v\nx,p,1\nx,q,\ny,p,3\ny,q,4\n')
  const sheet = await run('fill', 'gaps.csv', '--modes', 'a', 'b', '--value', 'v', '-o', 'full.xlsx')
  expect(sheet).toMatchObject({ code: 2, stderr: expect.stringContaining('use full.csv, which they open') })
  await run('convert', 't.tns', 't.npy')
  const array = await run('fill', 't.npy', '-o', 'full.mat')
  expect(array).toMatchObject({ code: 2, stderr: expect.stringContaining('use -o full.npy') })
  const asked = await run('predict', 'm.npz', 't.npy')
  expect(asked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('lacuna fill m.npz t.npy -o filled.npy'),
  })
  expect((await run('fill', 'm.npz', 't.npy', '-o', 'filled.npy')).code).toBe(0)
})

it('what was left out for lack of time is told with the time that is left', () => {
  expect(describeLeftOut(['ranks above 8'], 30, 14)).toBe(
    '14 s of the 30 s are left, too little for what was left out: ranks above 8.',
  )
  expect(describeLeftOut(['ranks above 8'], 30, 1)).toBe('The time of 30 s was up; left out: ranks above 8.')
})

it('remarks on examples begin in one column, or stand above them', () => {
  const text = `  lacuna demo                                                a picture
  lacuna image photo.jpg -o restored.png                     the same with yours
  lacuna info data.tns                                       what is in the file`
  expect(fitText(text, 60)).toBe(`  lacuna demo                            a picture
  # the same with yours
  lacuna image photo.jpg -o restored.png
  lacuna info data.tns                   what is in the file`)
})
