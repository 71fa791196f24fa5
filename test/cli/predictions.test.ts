/** Predictions of unusual numbers, labels and dates. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { reportWithoutInterval } from '#cli/commands/predict/predictions.ts'
import type { Progress } from '#cli/print/terminal.ts'
import { CpEnsemble } from '#lacuna/folds.js'
import { writeModel } from '#lacuna/io/node/index.js'
import type { Intervals } from '#lacuna/model/ensemble/intervals.js'
import type { RowIntervals } from '#lacuna/model/index.js'
import { CpModel } from '#lacuna/model/index.js'
import { exampleFolder, lastFields, TRAIN } from './exampleFolder.ts'

const { file, text, run } = exampleFolder('predictions')

describe('predictions', () => {
  const large = (factor: number) =>
    new CpModel({ dims: [2, 2], rank: 1, factors: [Float32Array.of(1, factor), Float32Array.of(2, 1e38)] })

  it('predictions beyond float32 are written as they are', async () => {
    await writeModel(file('large.npz'), large(1e20))
    writeFileSync(file('large.csv'), 'a,b\n1,1\n2,1\n2,2\n')
    writeFileSync(file('large.tns'), '1 1\n2 1\n2 2\n')
    const y = Math.fround(1e20) * Math.fround(1e38)
    const csv = await run('predict', 'large.npz', 'large.csv')
    expect(lastFields(csv.stdout).slice(1).map(Number)).toEqual(
      [2, Math.fround(2e20), y].map((x, i) => (i === 1 ? expect.closeTo(x, -14) : x)),
    )
    expect((await run('predict', 'large.npz', 'large.tns')).stdout).toBe(
      `1 1 2\n2 1 200000000000000000000\n2 2 ${y}\n`.replace('200000000000000000000', '2e20'),
    )
    for (const name of ['large.json', 'large.parquet', 'large-out.tns']) {
      const from = name.endsWith('tns') ? 'large.tns' : 'large.csv'
      expect((await run('predict', 'large.npz', from, '-o', name)).code).toBe(0)
    }
    expect(JSON.parse(text('large.json')).map((row: { prediction: number }) => row.prediction)[2]).toBe(y)
    expect(text('large-out.tns')).not.toContain('\0')
    const query = 'SELECT a, b, CAST(prediction > 1e57 AS INTEGER) AS big FROM data'
    const parquet = await run(
      'info',
      'large.parquet',
      '--query',
      query,
      '--modes',
      'a',
      'b',
      '--value',
      'big',
      '--json',
    )
    expect(JSON.parse(parquet.stdout).values).toMatchObject({ max: 1 })
  })

  it('values without intervals are said to be in rows without entries, or in groups of rows, where these have intervals', () => {
    const sentenceOf = (intervals: Partial<Intervals>, withoutInterval: number): string => {
      const ensemble = new CpEnsemble({
        ...{ dims: [2, 2], members: [large(1)] },
        intervals: { emptyRows: [], ...intervals } as unknown as Intervals,
      })
      let said = ''
      const say = (sentence: string): void => {
        said = sentence
      }
      reportWithoutInterval(ensemble, { withoutInterval } as RowIntervals, { say } as unknown as Progress)
      return said
    }
    const lost = { modes: [0, 1] } as unknown as Intervals['lost']
    expect(sentenceOf({}, 1)).toBe(
      '1 value has no interval (low and high are empty): its row has no entries, or fewer than any row in training, and there are too few other rows to try out how far off such a prediction may be.',
    )
    expect(sentenceOf({ lost }, 1)).toContain('its row, or the group of rows that it is in, has no entries,')
    expect(sentenceOf({ lost }, 2)).toBe(
      '2 values have no interval (low and high are empty): their rows, or the groups of rows that they are in, have no entries, or fewer than any row in training, and there are too few other rows or groups to try out how far off such a prediction may be.',
    )
    expect(sentenceOf({}, 0)).toBe('')
  })

  it('predictions beyond any number are refused, and leave no file', async () => {
    const dims = Array<number>(9).fill(1)
    await writeModel(
      file('huge.npz'),
      new CpModel({ dims, rank: 1, factors: dims.map(() => Float32Array.of(1e38)) }),
    )
    writeFileSync(file('ones.tns'), `${dims.join(' ')}\n`)
    const { code, stderr } = await run('predict', 'huge.npz', 'ones.tns', '-o', 'ones-out.tns')
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('larger than any number'),
    })
    expect(existsSync(file('ones-out.tns'))).toBe(false)
    const dense = await run('convert', 'huge.npz', 'dense.npy')
    expect({ code: dense.code, stderr: dense.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('float32'),
    })
    expect(existsSync(file('dense.npy'))).toBe(false)
  })

  it('predictions are made for every row except those that cannot be parsed', async () => {
    const modes = ['--modes', 'who', 'week(when)', '--value', 'rating', '--merge', 'mean']
    await run('complete', 't.csv', ...modes, ...TRAIN, '-o', 'week.npz')
    writeFileSync(
      file('dates.csv'),
      'who,when\nann,2024-01-15\nann,15/01/2024\nann,soon\nann,\nbo,2024-02-15 10:00:00\n',
    )
    const { code, stdout, stderr } = await run('predict', 'week.npz', 'dates.csv')
    expect(code).toBe(0)
    expect(lastFields(stdout).map((field) => field !== '')).toEqual([true, true, false, false, false, true])
    expect(stderr).toContain('3 rows have a label that the model does not know')
    writeFileSync(file('none.csv'), 'who,when\n')
    expect(await run('predict', 'week.npz', 'none.csv')).toMatchObject({
      code: 0,
      stdout: 'who,when,prediction\n',
    })
  })

  const shared = fileURLToPath(
    new URL('../../../shared/data/uber/uber-raw-data-apr14.csv.gz', import.meta.url),
  )
  it.skipIf(!existsSync(shared))(
    'predictions read the first rows of Uber’s April as training read them all (if ../shared/data is there)',
    async () => {
      const lines = gunzipSync(readFileSync(shared)).toString().split('\n')
      // The first twelve days, of which a guess makes twelve months; among them rows of every day.
      const days = new Set<string>()
      const picked = lines
        .slice(1)
        .filter(
          (line, n) =>
            line !== '' && (n % 97 === 0 || !days.has(line.split(' ')[0])) && days.add(line.split(' ')[0]),
        )
      writeFileSync(file('april.csv'), `${lines[0]}\n${picked.join('\n')}\n`)
      writeFileSync(file('first.csv'), `${lines[0]}\n${picked.slice(0, 50).join('\n')}\n`)
      const info = JSON.parse((await run('info', 'first.csv', '--recipe', 'uber', '--json')).stdout)
      expect(info.modes[0].labels).toMatchObject({ first: '2014-04-01' })
      expect(info.dims[0]).toBeLessThan(5)
      expect(
        await run('complete', 'april.csv', '--recipe', 'uber', ...TRAIN, '-o', 'april.npz'),
      ).toMatchObject({ code: 0 })
      const { stdout, stderr } = await run('predict', 'april.npz', 'first.csv', '-q')
      expect(stderr).toBe('')
      expect(lastFields(stdout)).toHaveLength(51)
      expect(lastFields(stdout)).not.toContain('')
    },
  )

  it('predictions find the columns of a recipe in the file it was made for', async () => {
    const rows = Array.from(
      { length: 40 },
      (_, r) => `${1 + (r % 5)}::${1 + (r % 8)}::${1 + (r % 5)}::${978300760 + 86400 * r}`,
    )
    writeFileSync(file('ratings.dat'), `${rows.join('\n')}\n`)
    expect(
      await run('complete', 'ratings.dat', '--recipe', 'movielens', ...TRAIN, '-o', 'ml.npz'),
    ).toMatchObject({ code: 0 })
    expect(lastFields((await run('predict', 'ml.npz', 'ratings.dat')).stdout)).not.toContain('')
    writeFileSync(file('ratings.csv'), `userId,movieId,timestamp\n1,1,978300760\n`)
    expect(lastFields((await run('predict', 'ml.npz', 'ratings.csv')).stdout)[1]).not.toBe('')
  })
})
