/** The final report of `complete` for one model, as text and as JSON. */
import type { Completion, ErrorSummary } from 'lacuna'
import { explainStop, type FoldChoice } from 'lacuna/internal'
import { errorHeads, errorRow, formatNumber, formatSeconds, formatTable } from '../../../print/format.ts'
import { painter } from '../../../print/terminal.ts'
import { memoryReport } from '../../../process/memory.ts'
import { choiceReport } from '../sideInformation.ts'
import { choiceTable } from './crossFitReport.ts'

/** Errors of a model on the sets of its job; undefined where there is no such set. */
export interface Errors {
  train: ErrorSummary
  validation?: ErrorSummary
  test?: ErrorSummary
  /** Error on the test entries of the mean training value. */
  meanOnTest?: ErrorSummary
}

/** Contents of the report beside the result and the errors of the run. */
export interface ReportDetails {
  threads: number
  /** Number of MPI processes, if there are several. */
  processes?: number
  /** Path of the model, if it was written. */
  output?: string
  /** Ranks that were tried by `--rank auto`. */
  ranks?: FoldChoice
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
  { output, threads, processes, ranks, took, plannedMemory }: ReportDetails,
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
    ...memoryReport(plannedMemory),
    model: output,
  }
}

/** Formats the report for people: trials, why the run stopped, a table of errors, the path of the model. */
export function textReport(
  { settings, epochs, stopped, seconds: elapsed, choice }: Completion,
  errors: Errors,
  { output, ranks }: ReportDetails,
): string {
  const { bold } = painter(process.stdout)
  const rows = [errorHeads, errorRow('train', errors.train)]
  if (errors.validation) rows.push(errorRow('validation', errors.validation))
  if (errors.test) rows.push(errorRow('test', errors.test))
  if (errors.meanOnTest) rows.push(errorRow('test, by the mean', errors.meanOnTest))
  const end = `${formatNumber(epochs.at(-1)?.epoch ?? 0)} epochs in ${formatSeconds(elapsed)}: ${explainStop(stopped, settings)}.`
  const [head, ...lines] = formatTable(rows).split('\n')
  const trials = [...(ranks ? [choiceTable(ranks), ''] : []), ...(choice ? [choiceReport(choice), ''] : [])]
  return [
    ...trials,
    end,
    '',
    bold(head),
    ...lines,
    ...(output ? ['', `The model is in ${output}.`] : []),
  ].join('\n')
}
