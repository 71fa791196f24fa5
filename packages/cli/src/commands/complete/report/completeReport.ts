/** The final report of `complete` for one model, as text and as JSON. */
import type { Completion } from 'lacuna'
import { explainStop, type FoldChoice } from 'lacuna/internal'
import { errorHeads, errorRow, formatNumber, formatSeconds, formatTable } from '../../../print/format.ts'
import { oneLine } from '../../../print/printable.ts'
import { painter } from '../../../print/terminal.ts'
import { memoryReport } from '../../../process/memory.ts'
import { choiceReport } from '../sideInformation.ts'
import { adviseVerdict, type Errors, type Verdict } from '../verdict.ts'
import { choiceTable } from './crossFitReport.ts'

/** Contents of the report beside the result and the errors of the run. */
export interface ReportDetails {
  threads: number
  /** Number of MPI processes, if there are several. */
  processes?: number
  /** Path of the model, if it was written. */
  output?: string
  /** Ranks that were tried by `--rank auto`. */
  ranks?: FoldChoice
  /** Comparison with baselines, if there could be one. */
  verdict?: Verdict
  /** Sentence that warns of too few entries, if they are. */
  caution?: string
  /** Planned memory of the job, in bytes. */
  plannedMemory: number
  /** Seconds of reading the entries, of loading them on the engine, and of steps and error measurements. */
  took: { reading: number; setUp: number; solving: number }
}

/** Builds the report of --json. @param tensor size of the training tensor, over all processes */
export function jsonReport(
  tensor: { dims: readonly number[]; entries: number },
  result: Completion,
  errors: Errors,
  { output, threads, processes, ranks, verdict, caution, took, plannedMemory }: ReportDetails,
): object {
  const { settings, epochs, seconds, stopped, choice } = result
  return {
    settings: { ...settings, threads, processes },
    tensor,
    epochs,
    ...errors,
    seconds,
    took,
    stopped,
    choice,
    ranks: ranks?.trials,
    verdict,
    caution,
    ...memoryReport(plannedMemory),
    model: output,
  }
}

/**
 * Formats the report as text: trials, why the run stopped, a table of errors, the verdict, the path of the
 * model.
 */
export function textReport(
  { model, settings, epochs, stopped, seconds: elapsed, choice }: Completion,
  errors: Errors,
  { output, ranks, verdict, caution }: ReportDetails,
): string {
  const { bold } = painter(process.stdout)
  const rows = [errorHeads, errorRow('train', errors.train)]
  if (errors.validation) rows.push(errorRow('validation', errors.validation))
  if (errors.test) rows.push(errorRow('test', errors.test))
  if (errors.meanOnTest) rows.push(errorRow('test, by the mean', errors.meanOnTest))
  const done = epochs.at(-1)?.epoch ?? 0
  const end = `${formatNumber(done)} epoch${done === 1 ? '' : 's'} in ${formatSeconds(elapsed)}: ${explainStop(stopped, settings)}.`
  const [head, ...lines] = formatTable(rows).split('\n')
  const trials = [
    ...(ranks ? [choiceTable(ranks, model), ''] : []),
    ...(choice ? [choiceReport(choice, settings.link), ''] : []),
  ]
  return [
    ...trials,
    end,
    '',
    bold(head),
    ...lines,
    ...explainRise({ epochs, stopped }),
    '',
    oneLine(verdict?.text ?? adviseVerdict(settings.missing)),
    ...(caution === undefined ? [] : [caution]),
    ...(output ? ['', `The model is in ${output}.`] : []),
  ].join('\n')
}

/** Least rise of the training error that is explained, as a fraction. */
const RISE = 0.01

/** Explains why the training error ended above its minimum: the learned prior raised it; empty if it did not. */
function explainRise({ epochs, stopped }: Pick<Completion, 'epochs' | 'stopped'>): string[] {
  const errors = epochs.map(({ train }) => train.relative)
  const lowest = Math.min(...errors)
  if (stopped !== 'learned' || !(errors[errors.length - 1] > (1 + RISE) * lowest)) return []
  return [
    `(The training error was ${formatNumber(lowest)} before the prior was learned. It rises then, because rows are no longer fitted to their noise; errors on other cells fall.)`,
  ]
}
