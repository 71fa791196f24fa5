/** Runs one method on one masked problem by the command line, and measures its predictions of the hidden entries. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeTensor } from 'lacuna'
import type { MaskedProblem } from './masks.ts'

/** Fraction of the blocks, those of the largest squared error, that the trimmed error leaves out. */
const TRIMMED = 0.01
/** The level of the intervals that are measured. */
const LEVEL = 0.9

/** Errors of one method on the hidden entries of one mask. */
export interface MaskedResult {
  rmse: number
  /** The error without the worst blocks, at least one. */
  rmseTrimmed: number
  mae: number
  /** The fraction of the squared error that the worst block has. */
  worstBlock: number
  /** The fraction of the hidden entries that lie in their intervals, where there are intervals. */
  coverage?: number
  /** Wall seconds of `complete`. */
  seconds: number
  /** The out-of-fold RMSE that the report gives, if any. */
  outOfFold?: number
  /** The number of trials, and the trials that were combined, with their weights; of --best. */
  trials?: number
  combined?: string[]
}

/** The parts of the report of `complete` that are used. */
interface Report {
  outOfFold?: { error: { rmse: number } }
  choice?: {
    trials: unknown[]
    chosen: Record<string, unknown>
    combined?: { trial: Record<string, unknown>; weight: number }[]
  }
}

/** Files of a masked problem, for as many runs of the command as are wanted. */
export class MaskedFiles {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lacuna-best-'))
  readonly #problem: MaskedProblem
  private constructor(problem: MaskedProblem) {
    this.#problem = problem
  }

  /** Writes the files into a new folder. */
  static async write(problem: MaskedProblem): Promise<MaskedFiles> {
    const files = new MaskedFiles(problem)
    await writeTensor(files.#path('train.tns'), problem.train)
    await writeTensor(files.#path('test.tns'), problem.test)
    return files
  }

  /** Deletes the folder. */
  remove(): void {
    rmSync(this.#folder, { recursive: true })
  }

  /**
   * Learns from the known entries and predicts the hidden ones.
   * @param cli path of lacuna.js @param args of `complete`
   */
  async measure(cli: string, args: readonly string[], threads: number): Promise<MaskedResult> {
    const run = async (...words: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, [cli, ...words], { maxBuffer: 2 ** 30 })).stdout
    const dims = this.#problem.train.dims.join('x')
    const model = this.#path('model.npz')
    const start = performance.now()
    const report: Report = JSON.parse(
      await run(
        'complete',
        this.#path('train.tns'),
        ...['--dims', dims, '--threads', String(threads), '--checkpoint-every', '0'],
        ...args,
        ...['--json', '-q', '-o', model],
      ),
    )
    const seconds = (performance.now() - start) / 1000
    const withIntervals = report.outOfFold !== undefined
    const answers = withIntervals
      ? await run('predict', model, this.#path('test.tns'), '--interval', String(LEVEL), '--json', '-q')
      : await run('predict', model, this.#path('test.tns'), '--json', '-q')
    return {
      ...measureAnswers(answers, this.#problem),
      seconds,
      outOfFold: report.outOfFold?.error.rmse,
      ...describeChoice(report),
    }
  }

  /** Returns the path of a file in the folder. */
  #path(name: string): string {
    return join(this.#folder, name)
  }
}

/** Summarizes what --best has chosen. @param report of `complete`, as JSON */
function describeChoice({ choice }: Report): Pick<MaskedResult, 'trials' | 'combined'> {
  if (!choice) return {}
  const combined = choice.combined ?? [{ trial: choice.chosen, weight: 1 }]
  return {
    trials: choice.trials.length,
    combined: combined.map(
      ({ trial: { foldErrors, rmse, spread, folds, features, ...settings }, weight }) => {
        const set = Object.entries(settings).filter(([, value]) => value !== '' && value !== 'identity')
        return `${weight.toFixed(2)} × ${set.map(([key, value]) => `${key} ${value}`).join(', ')}`
      },
    ),
  }
}

/** Compares predictions, one JSON object per line in the order of the test entries, with the values. */
function measureAnswers(
  answers: string,
  { test, blocks }: MaskedProblem,
): Pick<MaskedResult, 'rmse' | 'rmseTrimmed' | 'mae' | 'worstBlock' | 'coverage'> {
  const lines = answers.trim().split('\n')
  if (lines.length !== test.values.length)
    throw new Error(`There are ${lines.length} predictions of ${test.values.length} entries.`)
  const sums = new Map<number, { squares: number; count: number }>()
  let absolute = 0
  let inside: number | undefined
  for (const [entry, line] of lines.entries()) {
    const { prediction, low, high } = JSON.parse(line)
    const value = test.values[entry]
    const error = value - prediction
    const sum = sums.get(blocks[entry]) ?? { squares: 0, count: 0 }
    sum.squares += error ** 2
    sum.count++
    sums.set(blocks[entry], sum)
    absolute += Math.abs(error)
    if (low !== undefined && low !== null) inside = (inside ?? 0) + (value >= low && value <= high ? 1 : 0)
  }
  const worstFirst = [...sums.values()].sort((a, b) => b.squares - a.squares)
  const rest = worstFirst.slice(Math.ceil(TRIMMED * worstFirst.length))
  const squares = total(worstFirst, 'squares')
  return {
    rmse: Math.sqrt(squares / lines.length),
    rmseTrimmed: Math.sqrt(total(rest, 'squares') / total(rest, 'count')),
    mae: absolute / lines.length,
    worstBlock: worstFirst[0].squares / squares,
    ...(inside !== undefined && { coverage: inside / lines.length }),
  }
}

/** Sums one number of all blocks. */
function total<K extends string>(blocks: readonly Record<K, number>[], key: K): number {
  return blocks.reduce((sum, block) => sum + block[key], 0)
}
