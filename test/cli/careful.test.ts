/** Nothing silently wrong: what a command would rather say than do. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeModel, writePng } from '#dist/io/node/index.js'
import { CpModel } from '#dist/model/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-careful-'))
afterAll(() => rmSync(cwd, { recursive: true }))
const file = (name: string) => join(cwd, name)
const text = (name: string) => readFileSync(file(name), 'utf8')
const run = (...args: string[]) => lacuna(args, { cwd })
const pipe = (input: string | Uint8Array, ...args: string[]) => lacuna(args, { cwd, input })

const TRAIN = ['--rank', '1', '--epochs', '20', '-q']
const lastFields = (csv: string) =>
  csv
    .trim()
    .split('\n')
    .map((line) => line.split(',').at(-1))

beforeAll(async () => {
  const people = ['ann', 'bo', 'cy', 'di']
  const rows = people.flatMap((who, u) =>
    ['tea', 'jam', 'rye'].map(
      (what, i) => `${who},${what},2024-0${1 + ((u + i) % 3)}-15,${(u + 1) * (i + 1)}`,
    ),
  )
  writeFileSync(file('t.csv'), `who,what,when,rating\n${rows.join('\n')}\n`)
  writeFileSync(file('t.tns'), '1 1 1\n2 2 2\n1 2 3\n2 1 4\n')
  expect(await run('complete', 't.tns', ...TRAIN, '-o', 'm.npz')).toMatchObject({ code: 0 })
})

describe('-q', () => {
  it('hides progress, but no guess', async () => {
    const { code, stderr } = await run('complete', 't.csv', ...TRAIN)
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "t.csv: taken as --modes who what 'week(when)' --value rating\n",
    })
    writeFileSync(file('na.csv'), text('t.csv').replace(/3\n/, 'N/A\n'))
    const marked = await run(
      'convert',
      'na.csv',
      'na.tns',
      '--modes',
      'who',
      'what',
      '--value',
      'rating',
      '-q',
    )
    expect(marked.stderr).toBe('na.csv: a cell is taken as empty ("N/A" in na.csv, line 4)\n')
    expect(
      (await run('convert', 't.csv', 'q.tns', '--modes', 'who', 'what', '--value', 'rating', '-q')).stderr,
    ).toBe('')
  })
})

describe('a mode that was given a name', () => {
  const MODES = ['--modes', 'who', 'what AS thing', 'month(when) AS month', '--value', 'rating']

  it.each(['csv', 'tns', 'npz', 'parquet', 'json'])(
    'keeps name and labels through split and convert to .%s',
    async (ending) => {
      expect(
        await run('split', 't.csv', ...MODES, '--test', '0.2', '--format', ending, '-o', `s-${ending}`, '-q'),
      ).toMatchObject({
        code: 0,
        stderr: '',
      })
      const back = ['--modes', 'who', 'thing', 'month', '--value', 'rating']
      const isTable = /csv|parquet|json/.test(ending)
      const told = await run('info', `s-${ending}.train.${ending}`, ...(isTable ? back : []), '--json')
      const { modes } = JSON.parse(told.stdout)
      expect(modes.map(({ name }: { name: string }) => name)).toEqual(['who', 'thing', 'month'])
      expect(modes[2].labels).toEqual({ count: 3, first: '2024-01', last: '2024-03' })
      const trained = await run(
        'complete',
        `s-${ending}.train.${ending}`,
        ...(isTable ? back : []),
        ...TRAIN,
        '-o',
        'named.npz',
        '--test',
        `s-${ending}.test.${ending}`,
      )
      expect(trained).toMatchObject({ code: 0 })
      // The model knows the names, whatever the table to predict has; from .tns and .npz also what they were
      // made of.
      writeFileSync(file('named.csv'), 'who,thing,month\nann,tea,2024-01\n')
      expect(lastFields((await run('predict', 'named.npz', 'named.csv')).stdout)[1]).not.toBe('')
      if (!isTable) expect(lastFields((await run('predict', 'named.npz', 't.csv')).stdout)).not.toContain('')
    },
  )

  it('may not be called like the column that it is made of', async () => {
    const { code, stderr } = await run('info', 't.csv', '--modes', 'who', 'month(when) AS when')
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choose another name'),
    })
  })

  it('serves held-out tables that were split from the same data', async () => {
    await run('split', 't.csv', ...MODES, '--test', '0.25', '-o', 'held', '-q')
    const { stdout } = await run('complete', 't.csv', ...MODES, '--test', 'held.test.csv', ...TRAIN, '--json')
    expect(JSON.parse(stdout).test.entries).toBe(3)
  })
})

describe('what is written', () => {
  it.each([
    [['complete', 'm.npz', '-o', 'm.npz']],
    [['complete', 't.tns', '--initial', 'm.npz', '-o', 'm.npz']],
    [['complete', 't.tns', '--test', 'link.npz', '-o', 'm.npz']],
    [['convert', 't.csv', './t.csv']],
    [['convert', 't.csv', 'link.csv']],
    [['split', 's.train.tns', '--test', '0.5', '-o', 's']],
    [['synth', '--dims', '3x3', '--entries', '4', '-o', 'y.tns', '--test', 'y.tns', '--test-entries', '2']],
    [['image', 'a.png', '-o', 'a.png']],
    [['image', 'a.png', '-o', 'b.png', '--damaged', 'b.png', '--compare', 'b.png']],
    [['image', 'a.png', '-o', 'b.png', '--mask', 'c.png', '--compare', 'c.png']],
    [['predict', 'm.npz', 't.tns', '-o', 't.tns']],
    [['predict', 'm.npz', 't.csv', '-o', 'link.csv']],
  ])('is never what is read, nor written twice: %j', async ([...args]) => {
    writeFileSync(file('s.train.tns'), text('t.tns'))
    const picture = {
      width: 8,
      height: 8,
      channels: 1,
      maximum: 255,
      data: new Uint8Array(64).fill(9),
    } as const
    if (!existsSync(file('a.png'))) {
      await writePng(file('a.png'), picture)
      await writePng(file('c.png'), picture)
      symlinkSync(file('t.csv'), file('link.csv'))
      symlinkSync(file('m.npz'), file('link.npz'))
    }
    const before = readdirSync(cwd).map((name) => [name, readFileSync(file(name)).length])
    const { code, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^lacuna: \S+: this is .*(never replaces what it is made from|written twice).*\n$/,
      ),
    })
    expect(readdirSync(cwd).map((name) => [name, readFileSync(file(name)).length])).toEqual(before)
  })

  it('is a whole split or none: no part of an earlier one stays beside it', async () => {
    await run('split', 't.tns', '--test', '0.25', '--validation', '0.25', '-o', 'p', '-q')
    const { code, stderr } = await run('split', 't.tns', '--test', '0.5', '-o', 'p', '--format', 'csv')
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('p.validation.tns: this is of an earlier split'),
    })
    expect(existsSync(file('p.train.csv'))).toBe(false)
    const twice = await run(
      'split',
      't.tns',
      '--test',
      '0.25',
      '--validation',
      '0.25',
      '--seed',
      '2',
      '-o',
      'p',
      '-q',
    )
    expect(twice.code).toBe(0)
  })
})

describe('predictions', () => {
  const large = (factor: number) =>
    new CpModel({ dims: [2, 2], rank: 1, factors: [Float32Array.of(1, factor), Float32Array.of(2, 1e38)] })

  it('beyond float32 are written as they are', async () => {
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

  it('beyond any number are refused, and leave no file', async () => {
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

  it('are made for every row but those that cannot be understood', async () => {
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
    'read the first rows of Uber’s April (if ../shared/data is there) as training read them all',
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

  it('find the columns of a recipe in the file it was made for', async () => {
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

describe('pipes', () => {
  const MODES = ['--modes', 'who', 'what', '--value', 'rating']

  it('are read as tables, arrays, tensors or models, whatever comes', async () => {
    const direct = JSON.parse((await run('info', 't.csv', ...MODES, '--json')).stdout)
    await run('convert', 't.csv', 't.npz', ...MODES, '-q')
    await run('convert', 't.csv', 'p.parquet', ...MODES, '-q')
    const table = [text('t.csv'), gzipSync(text('t.csv')), readFileSync(file('p.parquet'))]
    for (const input of table) {
      const { stdout, stderr } = await pipe(input, 'info', '-', ...MODES, '--json')
      expect({ ...JSON.parse(stdout), file: 't.csv' }, stderr).toEqual(direct)
    }
    const npz = JSON.parse((await pipe(readFileSync(file('t.npz')), 'info', '-', '--json')).stdout)
    expect({ dims: npz.dims, entries: npz.entries }).toEqual({ dims: direct.dims, entries: direct.entries })
    expect((await pipe(readFileSync(file('m.npz')), 'info', '-')).stdout).toContain(
      'stdin: a model of rank 1',
    )
    const tns = await pipe('1 1 1 5\n2 2 2 6\n', 'info', '-', '--json')
    expect(JSON.parse(tns.stdout)).toMatchObject({ file: 'stdin', dims: [2, 2, 2], entries: 2 })
    const sql = await pipe(
      text('t.csv'),
      'info',
      '-',
      '--modes',
      'upper(who)',
      'what',
      '--value',
      'rating',
      '--json',
    )
    expect(JSON.parse(sql.stdout).modes[0].labels.first).toBe('ANN')
    const trained = await pipe(text('t.csv'), 'complete', '-', ...MODES, ...TRAIN, '-o', 'piped.npz')
    expect(trained).toMatchObject({ code: 0, stderr: '' })
    const fifo = await lacuna(
      ['-c', `"${process.execPath}" "$0" info <(cat t.csv) --modes who what --value rating --json`],
      { cwd, shell: true },
    )
    expect(JSON.parse(fifo.stdout).dims).toEqual(direct.dims)
  })

  it.each(['csv', 'npz', 'parquet'])('have names, too: a .%s that is none on the disk', async (ending) => {
    await run('convert', 't.csv', `whole.${ending}`, ...MODES, '-q')
    const told = ending === 'npz' ? [] : MODES
    const script = `mkfifo named.${ending}; cat whole.${ending} > named.${ending} & "${process.execPath}" "$0" info named.${ending} ${told.join(' ')} --json`
    const { stdout, stderr } = await lacuna(['-c', script], { cwd, shell: true })
    expect(JSON.parse(stdout).entries, stderr).toBe(12)
  })

  it('are written to, in the format that is told', async () => {
    expect((await run('convert', 't.tns', '-', '--format', 'csv', '-q')).stdout).toBe(
      '"mode_1","mode_2","value"\n1,1,1\n2,2,2\n1,2,3\n2,1,4\n',
    )
    const packed = await lacuna(['convert', 't.tns', '-', '--format', 'tns.gz', '-q'], { cwd, binary: true })
    expect(gunzipSync(Buffer.from(packed.stdout, 'latin1')).toString()).toBe(text('t.tns'))
    const refused = await run('convert', 't.tns', '-')
    expect({ code: refused.code, stderr: refused.stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--format'),
    })
    expect((await run('convert', 't.tns', '-', '--format', 'parquet')).stderr).toContain(
      'Parquet cannot be written to stdout',
    )
    expect((await pipe('1 1\n2 2\n', 'predict', 'm.npz', '-')).stdout.split('\n')).toHaveLength(3)
    expect(
      (await pipe(readFileSync(file('m.npz')), 'predict', '-', 't.tns')).stdout.split('\n'),
    ).toHaveLength(5)
    expect(await pipe('', 'predict', '-', '-')).toMatchObject({ code: 2 })
  })

  it.skipIf(!existsSync('/dev/full'))('that lead to a full disk are told in a sentence', async () => {
    for (const command of [
      'info t.tns',
      'predict m.npz t.tns',
      'convert t.tns - --format csv',
      'data list',
      'info t.tns --json',
      '--help',
    ]) {
      const { code, stderr } = await lacuna(['-c', `"${process.execPath}" "$0" ${command} > /dev/full`], {
        cwd,
        shell: true,
      })
      expect({ command, code, stderr }).toEqual({
        command,
        code: 2,
        stderr: expect.stringMatching(/^(.*\n)?lacuna: stdout: there is no space left to write it; .*\n$/),
      })
    }
    const unheard = await lacuna(['-c', `"${process.execPath}" "$0" convert t.tns heard.csv 2> /dev/full`], {
      cwd,
      shell: true,
    })
    expect(unheard.code).toBe(0)
  })
})

describe('counts', () => {
  it('are told from other numbers, and what a cell without an entry means', async () => {
    writeFileSync(file('counts.tns'), '1 1 1\n2 1 1\n3 2 1\n2 2 7\n5 5 2\n')
    writeFileSync(file('stars.tns'), '1 1 5\n2 1 4\n3 2 4\n2 2 1\n5 5 3\n')
    const counts = await run('info', 'counts.tns')
    expect(counts.stdout).toContain(
      'The values look like counts of events. A cell without an entry is unknown, not zero',
    )
    expect(counts.stdout).toContain('say so with --missing zero.')
    expect((await run('info', 'stars.tns')).stdout).not.toContain('counts of events')
    const rows = await run('info', 't.csv', '--modes', 'who', 'rating', '--json')
    expect(JSON.parse(rows.stdout)).toMatchObject({ looksLikeCounts: true })
  })
})

describe('no stack trace', () => {
  it.each([
    [['info', 'many.tns'], 'many.tns, line 1: 200001 columns; a tensor has at most 256 modes.'],
    [['convert', 'many.tns', 'x.npz'], 'many.tns, line 1: 200001 columns'],
    [['image', 'huge.png', '-o', 'x.png'], 'huge.png: the file has 3221225472 bytes, more than a picture'],
  ])('%j', async ([...args], message) => {
    writeFileSync(file('many.tns'), `${'1 '.repeat(200_000)}1\n`)
    const { truncateSync } = await import('node:fs')
    writeFileSync(file('huge.png'), '')
    truncateSync(file('huge.png'), 3 * 2 ** 30)
    const { code, stderr } = await run(...args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^lacuna: [^\n]*\n$/) })
    expect(stderr).toContain(message)
    rmSync(file('huge.png'))
  })

  it.skipIf(process.platform !== 'linux').each([
    [
      '-v 1000000',
      'complete t.tns --rank 1',
      'of addresses, most of them with no memory behind them, but 977 MiB are allowed',
    ],
    ['-v 4000000', 'demo --width 32', 'but 3.8 GiB are allowed; allow more with ulimit -v unlimited.'],
    ['-v 20000000', 'complete t.tns --rank 1', 'allow more with ulimit -v unlimited.'],
    ['-n 256', 'complete t.tns --rank 1 --threads 100', 'need about 400 open files, but 256 are allowed'],
  ])('with ulimit %s: lacuna %s', async (limit, command, message) => {
    const { code, stderr } = await lacuna(['-c', `ulimit ${limit}; "${process.execPath}" "$0" ${command}`], {
      cwd,
      shell: true,
    })
    expect(code).toBe(2)
    expect(stderr.split('\n').filter((line) => line.startsWith('lacuna: '))).toEqual([
      expect.stringContaining(message),
    ])
    expect(stderr).not.toMatch(/\n +at |Fatal|fault/)
  })

  it.skipIf(process.platform !== 'linux')(
    'with ulimit -n 256 and as many threads as it was said to allow',
    async () => {
      const { code, stderr } = await lacuna(
        ['-c', `ulimit -n 256; "${process.execPath}" "$0" complete t.tns --rank 1 --epochs 1 --threads 50`],
        { cwd, shell: true },
      )
      expect({ code, stderr }).toMatchObject({ code: 0 })
    },
  )
})
