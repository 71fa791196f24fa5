import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCrossFitOptions } from '#cli/commands/complete/crossFit.ts'
import { completeByFolds, encodeEnsemble, type FoldedCompletion } from '#lacuna/folds.js'
import { readModel, synthetic } from '#lacuna/index.js'
import { killAfterRename, lacuna } from './lacuna.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-folds-'))
afterAll(() => rmSync(folder, { recursive: true }))
const cli = (...args: string[]) => lacuna(args, { cwd: folder })

const { tensor } = synthetic({ dims: [15, 12, 8], entries: 700, rank: 2, snrDb: 15, seed: 2 })
const lines = Array.from(tensor.values, (x, e) => [
  ...tensor.indices.map((column) => column[e] + 1),
  Math.max(0, x),
])

describe('models of folds on the command line', () => {
  let result: FoldedCompletion
  beforeAll(async () => {
    result = (await completeByFolds(tensor, { rank: 2, epochs: 8, threads: 1 }, { folds: 3 }))!
    writeFileSync(join(folder, 'e.npz'), encodeEnsemble(result.model))
    writeFileSync(join(folder, 'all.tns'), lines.map((line) => `${line.join(' ')}\n`).join(''))
    writeFileSync(join(folder, 'q.csv'), 'mode_1,mode_2,mode_3,value\n3,4,5,0.5\n3,4,99,0.5\n9,1,1,1e6\n')
    writeFileSync(join(folder, 'q.tns'), '3 4 5\n')
  })

  it('models of folds predict tables with intervals, and print their coverage', async () => {
    const { stdout, stderr } = await cli('predict', 'e.npz', 'q.csv', '--interval', '0.8', '--value', 'value')
    const [head, first, second] = stdout.split('\n')
    expect(head).toBe('mode_1,mode_2,mode_3,value,prediction,low,high')
    const { value, low, high } = result.model.interval([2, 3, 4], 0.8)
    const told = first.split(',').slice(4).map(Number)
    for (const [i, x] of [value, low, high].entries()) expect(told[i]).toBeCloseTo(x, 5)
    expect(second).toBe('3,4,99,0.5,,,')
    const held = Number(low <= 0.5 && 0.5 <= high)
    expect(stderr).toContain(`Intervals of 80% hold ${(50 * held).toFixed(1)}% of 2 values.`)
  })

  it('intervals are refused for outputs without room for them', async () => {
    const asJson = await cli('predict', 'e.npz', 'q.tns', '--interval', '0.9', '--json')
    expect(Object.keys(JSON.parse(asJson.stdout))).toEqual(['coordinates', 'prediction', 'low', 'high'])
    const asLines = await cli('predict', 'e.npz', 'q.tns', '--interval', '0.9')
    expect(asLines).toMatchObject({ code: 2, stdout: '' })
    expect(asLines.stderr).toContain('a line of .tns has one value')
  })

  it('intervals are given for labels that the model does not know, with --fallback mean, where enough rows can be left out', async () => {
    const { tensor } = synthetic({ dims: [30, 25, 6], entries: 2000, rank: 2, snrDb: 15, seed: 2 })
    const values = tensor.values.map((x) => Math.max(0, x))
    const { model } = (await completeByFolds(
      { ...tensor, values, dims: [31, 25, 7] },
      { rank: 2, epochs: 20 },
    ))!
    writeFileSync(join(folder, 'empty.npz'), encodeEnsemble(model))
    writeFileSync(join(folder, 'new.csv'), 'mode_1,mode_2,mode_3\n99,4,5\n31,4,5\n3,4,7\n3,4,99\n3,4,5\n')
    const ask = ['predict', 'empty.npz', 'new.csv', '--fallback', 'mean', '--interval', '0.9']
    const { stdout, stderr } = await cli(...ask)
    const [unknown, empty, few, fewUnknown, known] = stdout
      .split('\n')
      .slice(1)
      .map((line) =>
        line
          .split(',')
          .slice(3)
          .map((text) => (text === '' ? NaN : Number(text))),
      )
    for (const [y, low, high] of [unknown, empty, known])
      expect(low <= y && y <= high && low < high).toBe(true)
    // A row that is not known is less certain than one that is.
    expect(unknown[2] - unknown[1]).toBeGreaterThan(known[2] - known[1])
    for (const [y, low, high] of [few, fewUnknown]) expect([y > 0, low, high]).toEqual([true, NaN, NaN])
    expect(stderr).toContain(
      '2 values have no interval (low and high are empty): their rows have no entries, or fewer than any row in training, and there are too few other rows to try out how far off such a prediction may be.',
    )
    const one = await cli(
      'predict',
      'empty.npz',
      '--at',
      'mode_1=3',
      'mode_2=4',
      'mode_3=7',
      '--interval',
      '0.9',
    )
    expect(one).toMatchObject({ code: 2, stdout: '' })
    expect(one.stderr).toContain('There is no interval for mode_3 7, of which there are no entries')
    writeFileSync(join(folder, 'few.tns'), '3 4 7\n')
    const lines = await cli('predict', 'empty.npz', 'few.tns', '--interval', '0.9', '--json')
    expect(JSON.parse(lines.stdout)).toMatchObject({ low: null, high: null })
  })

  it('fold takes models of merged modes and names the new rows; update of them is refused with what to do', async () => {
    const run = { rank: 2, epochs: 8, threads: 1, mergeModes: [[0, 1]] }
    const { model } = (await completeByFolds(tensor, run, { folds: 3 }))!
    writeFileSync(join(folder, 'merged.npz'), encodeEnsemble(model))
    writeFileSync(join(folder, 'pairs.tns'), '16 1 1 0.5\n16 1 2 0.7\n')
    const folded = await cli('fold', 'merged.npz', 'pairs.tns', '-o', 'mergedFolded.npz')
    expect(folded).toMatchObject({ code: 0, stdout: 'The model is in mergedFolded.npz.\n' })
    expect(folded.stderr).toContain('New rows: 1 of mode_1 (16)')
    const updated = await cli('update', 'merged.npz', 'pairs.tns', '-o', 'mergedUpdated.npz')
    expect(updated.code).toBe(2)
    expect(updated.stderr).toContain('learn it anew with the new entries, or fold in those of new rows alone')
  })

  it('fold and update take models of folds, and give models of folds with intervals', async () => {
    writeFileSync(join(folder, 'more.tns'), '16 1 1 0.5\n16 2 1 0.7\n16 3 2 0.4\n1 1 1 0.9\n')
    const folded = await cli('fold', 'e.npz', 'more.tns', '-o', 'folded.npz')
    expect(folded).toMatchObject({ code: 0, stdout: 'The model is in folded.npz.\n' })
    const updated = await cli('update', 'e.npz', 'more.tns', '-o', 'updated.npz')
    expect(updated).toMatchObject({ code: 0 })
    for (const name of ['folded.npz', 'updated.npz']) {
      const at = ['--at', 'mode_1=1', 'mode_2=4', 'mode_3=2']
      const { stdout, code } = await cli('predict', name, ...at, '--interval', '0.8', '--json')
      expect(code).toBe(0)
      expect(JSON.parse(stdout).low).toBeLessThan(JSON.parse(stdout).high)
    }
    const relearned = await cli('update', 'e.npz', 'more.tns', '--data', 'all.tns', '-o', 'relearned.npz')
    expect(relearned).toMatchObject({ code: 2, stdout: '' })
    expect(relearned.stderr).toContain('learn them anew by lacuna complete --folds 5')
  })

  it('components of models of folds are printed with the number of models that contain them', async () => {
    const { stdout } = await cli('components', 'e.npz', '--json', '--html', 'e.html', '-q')
    const [first] = result.model.components()
    expect(JSON.parse(stdout).components[0].found).toEqual(first.found)
    expect(readFileSync(join(folder, 'e.html'), 'utf8')).toContain(`found in ${first.found!.in} of 3</span>`)
  })

  it('the report says how many components the models share only where the model is worth using', async () => {
    // Noise without structure, by a linear congruential generator.
    let state = 1
    const noise = lines.map(([i, j, k]) => {
      state = (state * 48_271) % 2_147_483_647
      return `${i} ${j} ${k} ${1 + (state % 1000) / 1000}\n`
    })
    writeFileSync(join(folder, 'noise.tns'), noise.join(''))
    const report = async (file: string): Promise<string> =>
      (await cli('complete', file, '--rank', '2', '--folds', '3', '-q')).stdout
    expect(await report('all.tns')).toMatch(/of 2 components are found in all 3 models/)
    const onNoise = await report('noise.tns')
    expect(onNoise).toContain('do not use this model')
    expect(onNoise).not.toContain('components are found')
  })

  it('info describes models of folds, and --plot draws the ranks that were tried', async () => {
    const wanted = ['--rank', 'auto', '--folds', '3', '--epochs', '4', '--prior', 'isotropic']
    const { stdout, code } = await cli('complete', 'all.tns', ...wanted, '--plot', 'ranks.svg', '-q')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /\d+ of \d+ components are found in all 3 models \(factor match [01]\.\d\d\); core/,
    )
    expect(stdout).toContain(
      'Rows that add most to the squared error: RMSE (entries, share of it), out of fold',
    )
    expect(stdout).toMatch(/^Seconds: (other trials [\d.]+, )?set-up [\d.]+, models [\d.]+, neighbours /m)
    expect(readFileSync(join(folder, 'ranks.svg'), 'utf8')).toContain('chosen: rank')
    const told = await cli('info', 'e.npz')
    expect(told.stdout).toContain(`out of fold   RMSE ${Number(result.outOfFold!.error.rmse.toPrecision(4))}`)
  })

  it('a checkpoint of folds resumes only with the same settings', async () => {
    const wanted = [
      '--folds',
      '2',
      '--rank',
      '2',
      '--epochs',
      '2',
      '--prior',
      'isotropic',
      '-o',
      'j.npz',
      '-q',
    ]
    const told = JSON.parse((await cli('complete', 'all.tns', ...wanted, '--json')).stdout)
    expect(told.settings).toMatchObject({ rank: 2, folds: 2, epochs: 2, lambda: 'auto', noise: 'auto' })
    expect(told.settings).not.toHaveProperty('engine')
    const { reading, ...stages } = told.took
    expect(Object.keys(stages).sort()).toEqual(
      ['errors', 'intervals', 'models', 'neighbours', 'search', 'setUp', 'stability'].sort(),
    )
    expect(reading).toBeGreaterThan(0)
    const sum = Object.values<number>(stages).reduce((sum, seconds) => sum + seconds, 0)
    expect(sum / told.seconds).toBeCloseTo(1, 1)
    writeFileSync(join(folder, 'j.npz.run'), 'lacuna folds\nand more')
    const other = await cli('complete', 'all.tns', '--rank', '2', '-o', 'j.npz', '--resume', '-q')
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toContain('j.npz.run is of folds; go on with --folds, --rank auto or --best')
  })

  it.each([
    ['the ranks that were tried', 'ranks', ['--rank', 'auto', '--prior', 'isotropic', '--epochs', '8']],
    ['the noise that was tried', 'choice', ['--rank', '2', '--choose', '--epochs', '42']],
  ])('a model whose run is killed and resumed records %s', async (_, key, options) => {
    const args = (name: string) => ['complete', 'all.tns', ...options, '-o', name]
    const whole = await cli(...args('whole.npz'))
    const env = killAfterRename('lacuna run')
    const often = [...args('killed.npz'), '--checkpoint-every', '0.000001']
    expect((await lacuna(often, { cwd: folder, env, alone: true })).code).toBe(null)
    const resumed = await cli(...args('killed.npz'), '--resume')
    expect(resumed.stderr).toContain('Going on from killed.npz.run, after')
    // The table of trials comes first, the errors follow.
    const table = (stdout: string): string => stdout.slice(0, stdout.indexOf('\n\n'))
    expect(table(resumed.stdout)).toBe(table(whole.stdout))
    expect(table(whole.stdout)).toContain('chosen')
    const [wanted, found] = await Promise.all(
      ['whole.npz', 'killed.npz'].map((name) => readModel(join(folder, name), 'single')),
    )
    expect(found.training[key]).toEqual(wanted.training[key])
    expect(wanted.training[key]).toBeDefined()
    expect(found.factors).toEqual(wanted.factors)
  })

  it('--plot without ranks and --starts without folds are refused', () => {
    const refused = (options: object) => () =>
      checkCrossFitOptions({ checkpointEvery: 0, ...options } as never, 1)
    expect(refused({ plot: 'x.svg' })).toThrow(
      "plot draws the ranks that were tried; add rank: 'auto' or best.",
    )
    expect(refused({ rank: 'auto', plot: 'x.png' })).toThrow('x.png: the plot of ranks is .svg or .html.')
    expect(refused({ starts: 3 })).toThrow('starts is about folds; give folds too.')
    expect(refused({ rank: 'auto', plot: 'x.html' })).not.toThrow()
  })
})
