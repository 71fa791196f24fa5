import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '#lacuna/base/version.js'
import { readModel, readTensor } from '#lacuna/io/node/index.js'
import { lacuna } from './lacuna.ts'

const cwd = mkdtempSync(join(tmpdir(), 'lacuna-cli-'))
const run = (...args: string[]) => lacuna(args, { cwd })
const file = (name: string) => join(cwd, name)
afterAll(() => rmSync(cwd, { recursive: true }))

beforeAll(async () => {
  const args =
    '--dims 50x40x30 --entries 8000 --rank 3 --snr 20 --seed 1 -o data.tns --test-entries 500 --test test.tns'
  expect(await run('synth', ...args.split(' '))).toMatchObject({ code: 0, stdout: '' })
})

describe('synth', () => {
  it('synth writes the same problem each time', async () => {
    const tensor = await readTensor(file('data.tns'), { negative: 'keep' })
    expect(tensor.values.length).toBe(8000)
    await run(
      'synth',
      ...'--dims 50x40x30 --entries 8000 --rank 3 --snr 20 --seed 1 -o again.tns.gz'.split(' '),
    )
    expect(await readTensor(file('again.tns.gz'), { negative: 'keep' })).toEqual(tensor)
  })
})

describe('info', () => {
  it('info describes a tensor as JSON and as text', async () => {
    const info = JSON.parse((await run('info', 'data.tns', '--json')).stdout)
    expect(info).toMatchObject({
      order: 3,
      dims: [50, 40, 30],
      entries: 8000,
      density: 8000 / 60000,
      modes: { length: 3 },
    })
    expect(info.memory.bytes).toBeGreaterThan(8000 * 3 * 12)
    const { stdout } = await run('info', 'data.tns')
    expect(stdout).toContain('50 × 40 × 30')
    expect(stdout).toContain('To solve at rank 10 with')
  })
})

describe('complete', () => {
  it('complete learns, writes a model and prints one JSON object', async () => {
    const args =
      'complete data.tns --solver paper --rank 3 --sample 0.2 --epochs 30 --negative keep --validation 0.1 --test test.tns -o model.npz --json --quiet'
    const { code, stdout, stderr } = await run(...args.split(' '))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const report = JSON.parse(stdout)
    expect(report).toMatchObject({
      settings: { solver: 'paper', rank: 3, sample: 0.2, epochs: 30 },
      tensor: { dims: [50, 40, 30], entries: 7200 },
      stopped: 'epochs',
      epochs: { length: 30 },
    })
    for (const errors of [
      report.train,
      report.validation,
      report.test,
      report.epochs[29].train,
      report.epochs[29].validation,
    ])
      expect(Object.keys(errors)).toEqual(expect.arrayContaining(['relative', 'rmse', 'mae']))
    expect(report.test.relative).toBeLessThan(0.2)
    expect(report.peakMemory).toBeGreaterThan(2 ** 20)
    expect(report.took).toEqual({
      reading: expect.any(Number),
      setUp: expect.any(Number),
      solving: report.seconds,
    })
    expect(Math.min(...Object.values<number>(report.took))).toBeGreaterThan(0)
    const model = await readModel(file('model.npz'), 'single')
    const test = await readTensor(file('test.tns'))
    expect(model.error({ ...test, dims: [50, 40, 30] })).toEqual(report.test)
  })

  it('complete prints plain progress lines and a summary', async () => {
    const { code, stdout, stderr } = await run(
      ...'complete data.tns --rank 3 --epochs 5 --negative keep --test 0.1 --threads 2'.split(' '),
    )
    expect(code).toBe(0)
    expect(stderr).toMatch(/data\.tns: 50×40×30, 8,000 entries/)
    expect(stderr).toMatch(/Rank 3 on 2 threads, .* of memory \(program .*\)/)
    expect(stderr).toMatch(/epoch 5\/5 {2}train 0\.\d+ .* entries\/s .* left/)
    expect(stderr).not.toContain('\x1b')
    expect(stdout).toMatch(/5 epochs in .*: all 5 epochs are done\./)
    expect(stdout).toMatch(/test, by the mean +0\.\d/)
  })

  it('complete treats unlisted cells as zeros with --missing zero, and proposes it for counts', async () => {
    const lines = Array.from(
      { length: 60 },
      (_, e) => `${(e % 6) + 1} ${(e % 10) + 1} ${(e % 4) + 1} ${(e % 3) + 1}`,
    )
    writeFileSync(file('counts.tns'), `${[...new Set(lines)].join('\n')}\n12 20 8 1\n`)
    const zero = await run(...'complete counts.tns --rank 2 --missing zero --test 0.1 --json'.split(' '))
    expect(zero.code).toBe(0)
    const { settings, test, verdict } = JSON.parse(zero.stdout)
    expect(settings.missing).toBe('zero')
    expect(test.rmse).toBeLessThan(1)
    const names = verdict.baselines.map(({ name }: { name: string }) => name)
    expect(names.at(-1)).toBe('the product of the means of all modes')
    expect(zero.stderr).toMatch(/Held out for test: \d+ cells/)
    expect(zero.stderr).not.toContain('counts of events')
    const unknown = await run('complete', 'counts.tns', '--rank', '2')
    expect(unknown.stderr).toContain('say so with --missing zero')
  })

  it('complete --best --missing zero holds out cells, zeros included, tries λ and predicts zeros', async () => {
    const lines = Array.from({ length: 12 * 20 * 8 }, (_, cell) => {
      const index = [Math.floor(cell / 160), Math.floor(cell / 8) % 20, cell % 8]
      const count = Math.floor((4 * ((0.618 * cell) % 1)) / (1 + index[0] * index[1] * 0.2))
      return count > 0 ? `${index.map((i) => i + 1).join(' ')} ${count}\n` : ''
    })
    writeFileSync(file('events.tns'), lines.join(''))
    const shared = 'complete events.tns --missing zero --best --rank 3 --folds 3'.split(' ')
    const best = await run(...shared, ...'--test 0.1 --json -o events.npz'.split(' '))
    expect(best.stderr).toMatch(/Out of fold: RMSE [\d.]+ with rank 3, λ [\d.]+/)
    const { choice, outOfFold, test } = JSON.parse(best.stdout)
    expect(choice.trials.some(({ lambda }: { lambda?: number }) => lambda !== undefined)).toBe(true)
    expect(outOfFold.by).toBe('single cells, zeros included')
    expect(outOfFold.error.entries).toBeGreaterThan(lines.filter((line) => line !== '').length)
    expect(test.rmse).toBeLessThan(1)
    writeFileSync(file('cell.tns'), '12 20 8\n')
    const predicted = await run('predict', 'events.npz', 'cell.tns')
    expect(Number(predicted.stdout.trim().split(' ').at(-1))).toBeLessThan(0.5)
    const refused = await run(...shared, '--fold-by', 'entry')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('--fold-by does not go with --missing zero')
  })

  it('complete stops at Ctrl-C with 130, saves the model and prints how to resume', async () => {
    let sent = false
    const args =
      'complete data.tns --solver paper --rank 3 --epochs 100000000 --negative keep -o stopped.npz'.split(' ')
    const { code, stderr } = await lacuna(args, {
      cwd,
      during: (pid, soFar) => {
        if (!sent && soFar.includes('epoch')) {
          sent = true
          process.kill(pid, 'SIGINT')
        }
      },
    })
    expect(code).toBe(130)
    expect(stderr).toContain('-o stopped.npz --resume')
    expect((await readModel(file('stopped.npz'), 'single')).rank).toBe(3)
  })
})

describe('predict', () => {
  it('predict prints coordinates with predictions, and errors where values are given', async () => {
    const model = await readModel(file('model.npz'), 'single')
    const { code, stdout, stderr } = await run('predict', 'model.npz', 'test.tns')
    expect(code).toBe(0)
    expect(stderr).toMatch(/relative error 0\.\d/)
    const lines = stdout.trim().split('\n')
    expect(lines).toHaveLength(500)
    const [i, j, k, value] = lines[7].split(' ').map(Number)
    expect(Math.fround(value)).toBe(Math.fround(model.predict([i - 1, j - 1, k - 1])))
    writeFileSync(file('wanted.tns'), '1 1 1\n50 40 30\n')
    await run('predict', 'model.npz', 'wanted.tns', '-o', 'predicted.tns')
    expect(readFileSync(file('predicted.tns'), 'utf8').split('\n')[1]).toMatch(/^50 40 30 \d/)
  })
})

describe('bad input and options', () => {
  const cases: [string, string][] = [
    ['complete missing.tns', 'missing.tns: there is no such file'],
    ['complete data.tns', '--negative keep'],
    ['complete broken.tns -o broken.npz', 'broken.tns, line 2:'],
    ['complete data.xyz', '.tns'],
    ['complete data.csv', 'data.csv: there is no such file'],
    ['complete data.tns --rank 0', "argument '0' is invalid"],
    ['complete data.tns --rank 1000 --negative keep', 'at most 256'],
    ['complete data.tns --sample 2 --negative keep', 'sample is 2; it must be above 0 and at most 1.'],
    [
      'complete data.tns --solver magic --negative keep',
      "argument 'magic' is invalid. Allowed choices are fast, paper.",
    ],
    ['complete data.tns --negative keep -o nowhere/model.npz', 'nowhere'],
    ['complete data.tns --negative keep -o model.txt', '.npz'],
    ['complete data.tns --dims 10x10x10 --negative keep', 'data.tns, line'],
    ['complete data.tns --colour', "unknown option '--colour'"],
    ['predict model.npz far.tns', 'far.tns, line 1'],
    ['predict data.tns test.tns', 'data.tns'],
    ['synth --dims 2x2 --entries 5 --rank 1 -o x.tns', '5'],
    ['synth --dims 2x2 --entries 2 --rank 1 -o x.tns --test-entries 1', 'belong together'],
    ['frobnicate', "unknown command 'frobnicate'"],
  ]
  it.each(cases)('lacuna %s: one sentence, exit 2, nothing written', async (line, message) => {
    writeFileSync(file('broken.tns'), '1 1 1 2.0\n1 x 1 2.0\n')
    writeFileSync(file('far.tns'), '51 1 1\n')
    const before = readdirSync(cwd).sort()
    const { code, stdout, stderr } = await run(...line.split(' '))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const complaint = stderr.split('\n').filter((l) => /^(lacuna|error):/.test(l))
    expect(complaint).toHaveLength(1)
    expect(complaint[0]).toContain(message)
    expect(readdirSync(cwd).sort()).toEqual(before)
    expect(existsSync(file('broken.npz'))).toBe(false)
  })
})

describe('help', () => {
  it('help has examples, and the version is that of the package', async () => {
    const { version: packaged } = JSON.parse(
      readFileSync(new URL('../../packages/cli/package.json', import.meta.url), 'utf8'),
    )
    expect((await run('--version')).stdout.trim()).toBe(packaged)
    expect(version).toBe(packaged)
    for (const command of ['complete', 'predict', 'info', 'synth'])
      expect((await run(command, '--help')).stdout).toContain('Example')
  })
})
