/** Commands refuse or report what would otherwise go wrong silently. */
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { writePng } from '#lacuna/io/node/index.js'
import { exampleFolder, lastFields, TRAIN } from './exampleFolder.ts'
import { killAfterRename, lacuna } from './lacuna.ts'

const { cwd, file, text, run } = exampleFolder('careful')

describe('-q', () => {
  it('--quiet hides progress, but no guess', async () => {
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
    'the name and labels of a mode survive split and convert to .%s',
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

  it('a mode may not have the name of the column that it is made of', async () => {
    const { code, stderr } = await run('info', 't.csv', '--modes', 'who', 'month(when) AS when')
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choose another name'),
    })
  })

  it('a split serves as held-out tables of the same data', async () => {
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
    [['update', 'm.npz', 't.csv', '-o', 'm.npz']],
    [['update', 'link.npz', 't.csv', '-o', 'm.npz']],
    [['fold', 'm.npz', 't.csv', '-o', 'm.npz']],
  ])('an output that is also an input or another output is refused: %j', async ([...args]) => {
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

  it('a split that is killed while it replaces an earlier one leaves a whole file under each name', async () => {
    const split = (seed: number): string[] =>
      `split t.tns --test 0.25 --validation 0.25 --seed ${seed} -o killed -q`.split(' ')
    const names = ['killed.train.tns', 'killed.validation.tns', 'killed.test.tns']
    await run(...split(3))
    const old = names.map(text)
    await run(...split(4))
    const wanted = names.map(text)
    await run(...split(3))
    // Any file is a sign: the process ends when the first one is in its place.
    const env = killAfterRename('')
    expect((await lacuna(split(4), { cwd, env, alone: true })).code).toBe(null)
    expect(names.map(text)).toEqual([wanted[0], ...old.slice(1)])
    const hidden = (): string[] => readdirSync(cwd).filter((name) => name.startsWith('.killed'))
    expect(hidden()).not.toEqual([])
    expect((await run(...split(4))).code).toBe(0)
    expect(names.map(text)).toEqual(wanted)
    expect(hidden()).toEqual([])
  })

  it('a split leaves no file of an earlier split beside it', async () => {
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

describe('counts', () => {
  it('counts are recognized, and the meaning of a cell without an entry is printed', async () => {
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
