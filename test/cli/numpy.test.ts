/**
 * Answers of the command line, recomputed in NumPy from the model files: predictions, errors, baselines, top,
 * fill, fold. LACUNA_PROBLEMS=60 trains 60 models, a third of them ensembles, and prints the number of checks.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { draw, stream, unit } from '#lacuna/base/random.js'
import { lacuna } from './lacuna.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacuna-numpy-'))
afterAll(() => rmSync(folder, { recursive: true }))

const problems = Number(process.env.LACUNA_PROBLEMS ?? 5)
const columns = ['user', 'item', 'week', 'place']

/** Settings of a problem, by its number: every third one is an ensemble, a third have a link. */
function settingsOf(problem: number): string[] {
  const link = [[], [], [], ['--link', 'sqrt'], ['--link', 'log1p'], []][problem % 6]
  return [...link, ...solverSettings(problem)]
}

/** Settings of a problem without its link. */
function solverSettings(problem: number): string[] {
  if (problem % 3 === 0)
    return ['--folds', String(2 + (problem % 4)), ...(problem % 2 ? ['--ordered', 'item'] : [])]
  if (problem % 6 === 1) return ['--missing', 'zero']
  return [[], ['--solver', 'paper'], ['--prior', 'isotropic'], ['--loss', 'huber'], ['--noise', 'poisson']][
    problem % 5
  ]
}

/** Writes the tables of a problem: training and test entries of low rank with noise, and those of a new row. */
function writeTables(at: string, problem: number): void {
  const order = 2 + (problem % 3)
  const dims = Array.from(
    { length: order },
    (_, m) => 4 + ((7 * problem + 5 * m) % 6) + (order === 2 ? 5 : 0),
  )
  const key = stream(problem + 1, 3)
  let drawn = 0
  const random = (): number => unit(draw(key, drawn++))
  const names = columns.slice(0, order)
  const cells = dims.reduce<number[][]>(
    (all, dim) => all.flatMap((c) => Array.from({ length: dim }, (_, i) => [...c, i])),
    [[]],
  )
  const isCount = settingsOf(problem).includes('zero')
  const rows = cells.map((cell) => {
    const clean = cell.reduce(
      (product, i, m) => product * (0.4 + ((i * (m + 2) + problem) % 5) / 3),
      1 + (problem % 7),
    )
    const value = isCount ? Math.ceil(clean * random()) : clean * (0.7 + 0.6 * random())
    return {
      cell,
      line: [...cell.map((i, m) => `${names[m]}${i}`), Number(value.toFixed(4))].join(),
      part: random(),
    }
  })
  const header = [...names, 'value'].join()
  const write = (name: string, lines: string[]): void =>
    writeFileSync(join(at, name), [header, ...lines].join('\n'))
  // Every row of every mode has an entry: that of the diagonal.
  const isDiagonal = (cell: readonly number[]): boolean =>
    cell.every((i, m) => i === Math.max(...cell) % dims[m])
  write(
    'train.csv',
    rows.flatMap(({ cell, line, part }) => (part < 0.5 || isDiagonal(cell) ? [line] : [])),
  )
  write(
    'test.csv',
    rows.flatMap(({ cell, line, part }) => (part > 0.75 && !isDiagonal(cell) ? [line] : [])),
  )
  const others = cells.filter(([user]) => user === 0).slice(0, 5)
  write(
    'new.csv',
    others.map((cell, e) => ['zzz', ...cell.slice(1).map((i, m) => `${names[m + 1]}${i}`), e + 1].join()),
  )
}

test('NumPy finds the same predictions, errors, rankings, slices and new rows in the model files', async () => {
  const folders: string[] = []
  for (let problem = 0; problem < problems; problem++) {
    const at = join(folder, String(problem))
    folders.push(at)
    mkdirSync(at)
    writeTables(at, problem)
    const isEnsemble = problem % 3 === 0
    const fixed = columns.slice(1, 2 + (problem % 3)).map((name) => `${name}=${name}1`)
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await lacuna([...args, '-q'], { cwd: at })
      expect({ code, stderr }, `problem ${problem}: ${args.join(' ')}`).toMatchObject({ code: 0 })
      return stdout
    }
    const rank = String(1 + (problem % 4))
    await run(
      'complete',
      'train.csv',
      '--rank',
      rank,
      '--value',
      'value',
      '--modes',
      ...columns.slice(0, 2 + (problem % 3)),
      '--epochs',
      '20',
      '--seed',
      String(problem),
      '-o',
      'model.npz',
      ...settingsOf(problem),
    )
    await run(
      'predict',
      'model.npz',
      'test.csv',
      '-o',
      'predictions.csv',
      ...(isEnsemble ? ['--interval', '0.9'] : []),
    )
    writeFileSync(
      join(at, 'evaluation.json'),
      await run('evaluate', 'model.npz', '--test', 'test.csv', '--json'),
    )
    writeFileSync(
      join(at, 'top.json'),
      await run('top', 'model.npz', '--for', ...fixed, '--of', 'user', '-n', '3', '--json'),
    )
    await run('fill', 'model.npz', '--slice', 'user=user0', '-o', 'slice.npy')
    if (!isEnsemble) await run('fold', 'model.npz', 'new.csv', '-o', 'folded.npz')
  }
  const script = fileURLToPath(new URL('./numpyChecks.py', import.meta.url))
  const answer = execFileSync('/usr/bin/python3', [script], {
    input: `${JSON.stringify(folders)}\n`,
    encoding: 'utf8',
  })
  const { checks, failures } = JSON.parse(answer)
  if (process.env.LACUNA_PROBLEMS)
    console.log(`${problems} problems, ${checks} checks, ${failures.length} failures.`)
  expect(failures).toEqual([])
  expect(checks).toBeGreaterThan(15 * problems)
}, 900_000)
