import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { epochFormatter } from '#cli/commands/complete/report/epochFormatter.ts'
import { formatCounted } from '#cli/print/format.ts'
import { painter } from '#cli/print/terminal.ts'
import { trialWords } from '#cli/print/trialWords.ts'
import { decodeNpy } from '#lacuna/io/npz/index.js'
import { exampleFolder, TRAIN } from '../exampleFolder.ts'

const { file, run } = exampleFolder('figures')

/** Ratings of 30 × 20 with rows of different size, and noise: biases of the modes explain little of them. */
function writeNoisy(name: string): void {
  const lines = Array.from({ length: 600 }, (_, e) => {
    const [i, j] = [e % 30, Math.floor(e / 30)]
    const value = (i % 2 === j % 2 ? 4 : 1) + ((e * 2_654_435_761) % 2 ** 32) / 2 ** 32
    return `${i + 1} ${j + 1} ${value.toFixed(3)}`
  })
  writeFileSync(file(name), `${lines.join('\n')}\n`)
}

it('R² of test entries that are all equal is said to be undefined, in text and in JSON', async () => {
  writeFileSync(file('ones.tns'), '1 1 0.1\n2 2 0.1\n1 2 0.1\n')
  const { stdout } = await run('evaluate', 'm.npz', '--test', 'ones.tns')
  expect(stdout).toContain('R² is not defined: all values are 0.1.')
  expect(stdout).not.toMatch(/e\+\d\d/)
  const json = JSON.parse((await run('evaluate', 'm.npz', '--test', 'ones.tns', '--json')).stdout)
  expect(json[0].rmse).toBeGreaterThan(0)
  expect(json[0]).not.toHaveProperty('r2')
})

it('one entry is "1 entry", and several are "entries"', async () => {
  writeFileSync(file('one.tns'), '1 1 5\n')
  const { stderr, stdout } = await run('complete', 'one.tns', '--rank', '1')
  expect(stderr).toContain('one.tns: 1×1, 1 entry\n')
  expect(`${stderr}${stdout}`).not.toMatch(/\b1 (entries|epochs)/)
  expect([formatCounted(0, 'row'), formatCounted(1, 'row'), formatCounted(2000, 'entry')]).toEqual([
    '0 rows',
    '1 row',
    '2,000 entries',
  ])
})

it('fewer entries than parameters get a caution; enough of them do not', async () => {
  const few = await run('complete', 't.tns', '--rank', '10', '-q')
  expect(few.stdout).toContain(
    'Caution: rank 10 has 40 parameters for 4 entries, so that a small training error means nothing; what counts is the error on entries that it has not seen, as --test 0.1 or --folds 5 measures it.',
  )
  // A rank that is too large is no fault: nothing says that a smaller one would be better.
  expect(few.stdout).not.toMatch(/smaller --rank|safer/)
  writeNoisy('noisy.tns')
  expect((await run('complete', 'noisy.tns', '--rank', '2', '-q')).stdout).not.toContain('Caution')
})

it('every complete ends with a comparison with baselines, or says how to get one', async () => {
  writeNoisy('noisy.tns')
  const better = /\d+% below the best baseline, /
  const plain = (await run('complete', 'noisy.tns', '--rank', '2', '-q')).stdout
  expect(plain).toMatch(
    new RegExp(`Learned without 10% of the entries, its error on these is ${better.source}`),
  )
  const tested = (await run('complete', 'noisy.tns', '--rank', '2', '-q', '--test', '0.2')).stdout
  expect(tested).toMatch(new RegExp(`On the test entries the error is ${better.source}`))
  const validated = (await run('complete', 'noisy.tns', '--rank', '2', '-q', '--validation', '0.2')).stdout
  expect(validated).toMatch(new RegExp(`On the validation entries the error is ${better.source}`))
  const few = (await run('complete', 't.tns', '--rank', '1', '-q')).stdout
  expect(few).toContain('--test 0.1 holds out entries')
  const { verdict } = JSON.parse((await run('complete', 'noisy.tns', '--rank', '2', '--json')).stdout)
  expect(verdict).toMatchObject({ isWorthUsing: true, on: '10% of the entries' })
  expect(verdict.baselines.map(({ name }: { name: string }) => name)).toContain('biases of all modes')
})

it('--rank auto alone gives the out-of-fold comparison with baselines', async () => {
  writeNoisy('noisy.tns')
  const { stdout } = await run('complete', 'noisy.tns', '--rank', 'auto', '-q')
  expect(stdout).toMatch(/Out of fold the error is \d+% below the best baseline, /)
})

it('a training error that rises while the prior is learned is explained, in the report and in progress', async () => {
  writeNoisy('noisy.tns')
  const { stdout } = await run('complete', 'noisy.tns', '--rank', '6', '-q')
  expect(stdout).toMatch(/The training error was [\d.e-]+ before the prior was learned\. It rises then/)
  const zero = { relative: 0, rmse: 0, mae: 0, entries: 1 }
  const report = { epoch: 1, seconds: 1, updateSeconds: 1, train: zero, sample: 1, lambda: 0 }
  const format = epochFormatter({ entries: 1, epochs: 10 })
  expect(format(report, false)).not.toContain('prior')
  expect(format(report, true)).toMatch(/learning the prior$/)
  expect(format({ ...report, train: { ...zero, relative: 0.1 } }, true)).toContain(', so train rises')
})

it('errors of options begin with lacuna:, as all others do', async () => {
  const unknown = await run('complete', '--rnak', '3')
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/^lacuna: unknown option/) })
  const invalid = await run('complete', 't.tns', '--rank', 'many')
  expect(invalid).toMatchObject({ code: 2, stderr: expect.stringMatching(/^lacuna: option '--rank/) })
})

it('an array of all cells that would be too large is refused with advice that predict follows', async () => {
  writeFileSync(file('huge.tns'), '1 1 1\n100000 100000 1\n')
  await run('complete', 'huge.tns', ...TRAIN, '-o', 'huge.npz')
  const { code, stderr } = await run('predict', 'huge.npz', '-o', 'all.npy')
  expect(code).toBe(2)
  expect(stderr).toContain('by a table of queries, or write a slice with lacuna fill MODEL --slice')
  expect(stderr).not.toContain('COO')
  expect((await run('fill', 'huge.npz', '--slice', 'mode_1=1', '-o', 'slice.npy')).code).toBe(0)
})

it('an array of all cells says by which range it is limited, and --no-clip lifts the limit', async () => {
  const clipped = await run('predict', 'm.npz', '-o', 'all.npy')
  expect(clipped.stderr).toContain('limited to the range of the training values, 1 to 4')
  expect((await run('convert', 'm.npz', 'completed.npy')).stderr).toContain('limited to the range')
  await run('predict', 'm.npz', '--no-clip', '-o', 'free.npy')
  const values = (name: string) => [...decodeNpy(readFileSync(file(name)), name).data].map(Number)
  expect(Math.max(...values('all.npy'))).toBeLessThanOrEqual(4)
  const cell = await run('predict', 'm.npz', '--no-clip', '--at', 'mode_1=2', 'mode_2=2')
  expect(values('free.npy')[3]).toBeCloseTo(Number(cell.stdout), 5)
})

it('output of processes that Open MPI gives a pseudoterminal has no escape codes', () => {
  const stream = { isTTY: true } as NodeJS.WriteStream
  const { bold } = painter(stream)
  expect(bold('x')).toBe(process.env.TERM === 'dumb' || process.env.NO_COLOR ? 'x' : '\x1b[1mx\x1b[0m')
  process.env.OMPI_COMM_WORLD_SIZE = '2'
  try {
    expect(painter(stream).bold('x')).toBe('x')
  } finally {
    delete process.env.OMPI_COMM_WORLD_SIZE
  }
})

it('evaluate names its baselines as complete does', async () => {
  writeNoisy('noisy.tns')
  const { stdout } = await run(
    'complete',
    'noisy.tns',
    '--rank',
    '2',
    '--test',
    '0.2',
    '--json',
    '-o',
    'n.npz',
  )
  const byComplete = JSON.parse(stdout).verdict.baselines.map(({ name }: { name: string }) => name)
  const evaluated = await run('evaluate', 'n.npz', '--test', 'noisy.tns', '--json')
  const byEvaluate = JSON.parse(evaluated.stdout)[0].baselines.map(({ name }: { name: string }) => name)
  expect(byEvaluate.slice(0, -1)).toEqual(byComplete.slice(0, -1))
  // The last ones are not the same: biases are fitted to the training entries, which a model does not hold.
  expect([byComplete.at(-1), byEvaluate.at(-1)]).toEqual([
    'biases of all modes',
    'biases of all modes, by the means of rows',
  ])
})

it('trials name the modes that they merge and split', async () => {
  const rows = Array.from({ length: 4 * 5 * 21 }, (_, n) => {
    const [shop, product, day] = [n % 4, Math.floor(n / 4) % 5, Math.floor(n / 20)]
    const date = new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10)
    return `s${shop},p${product},${date},${(1 + ((3 * shop + 7 * product) % 5)) * (10 + 5 * (day % 7)) + (n % 3)}`
  })
  writeFileSync(file('sold.csv'), `shop,product,date,sold\n${rows.join('\n')}\n`)
  const given = ['--modes', 'shop', 'product', 'date', '--value', 'sold', '--best', '--seconds', '20']
  const { stdout, stderr } = await run('complete', 'sold.csv', ...given)
  for (const text of [stdout, stderr]) {
    expect(text).toMatch(/merged shop,product/)
    expect(text).toMatch(/split date:7/)
    expect(text).not.toMatch(/merged \d|split \d/)
  }
  expect(trialWords({ noise: 'auto', rank: 2, lags: '', features: false, merged: '1,2 3,4' }, {})).toBe(
    'rank 2, merged 1,2 3,4',
  )
})

it('--missing zero gets no caution about parameters, and advice that goes with it', async () => {
  const { stdout } = await run('complete', 't.tns', '--rank', '10', '--missing', 'zero', '-q')
  expect(stdout).not.toMatch(/Caution|--folds/)
  expect(stdout).toContain('--test 0.1 holds some out; lacuna evaluate --ranking')
})
