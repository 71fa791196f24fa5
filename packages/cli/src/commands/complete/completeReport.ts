/** What `complete` tells in the end. */
import type { Completion, ErrorSummary, SparseTensor } from 'lacuna'
import { explainStop, type FoldChoice } from 'lacuna/internal'
import { errorHeads, errorRow, figure, seconds, table } from '../../print/format.ts'
import { painter } from '../../print/terminal.ts'
import type { CompleteOptions } from './completeOptions.ts'
import { choiceTable } from './foldReport.ts'
import { choiceReport } from './sideInformation.ts'

export type Errors = {
  train: ErrorSummary
  validation?: ErrorSummary
  test?: ErrorSummary
  meanOnTest?: ErrorSummary
}

interface Told {
  processes?: number
  ranks?: FoldChoice
  /** Seconds: until the entries were there, until the engine had loaded them, and of steps and looks at errors. */
  took: { reading: number; setUp: number; solving: number }
}

export function jsonReport(
  { dims }: SparseTensor,
  entries: number,
  result: Completion,
  errors: Errors,
  { output, threads, processes, ranks, took }: CompleteOptions & Told,
): object {
  const { settings, epochs, stopped } = result
  return {
    settings: { ...settings, threads, ...(processes && { processes }) },
    tensor: { dims, entries },
    ...{ epochs, ...errors, seconds: result.seconds, took, stopped },
    ...(result.choice && { choice: result.choice }),
    ...(ranks && { ranks: ranks.trials }),
    peakMemory: process.resourceUsage().maxRSS * 1024,
    ...(output ? { model: output } : {}),
  }
}

export function textReport(
  { settings, epochs, stopped, seconds: elapsed, choice }: Completion,
  errors: Errors,
  { output, ranks }: CompleteOptions & Told,
): string {
  const { bold } = painter(process.stdout)
  const rows = [errorHeads, errorRow('train', errors.train)]
  if (errors.validation) rows.push(errorRow('validation', errors.validation))
  if (errors.test) rows.push(errorRow('test', errors.test))
  if (errors.meanOnTest) rows.push(errorRow('test, by the mean', errors.meanOnTest))
  const end = `${figure(epochs.at(-1)?.epoch ?? 0)} epochs in ${seconds(elapsed)}: ${explainStop(stopped, settings)}.`
  const [head, ...lines] = table(rows).split('\n')
  const tried = [...(ranks ? [choiceTable(ranks), ''] : []), ...(choice ? [choiceReport(choice), ''] : [])]
  return [
    ...tried,
    end,
    '',
    bold(head),
    ...lines,
    ...(output ? ['', `The model is in ${output}.`] : []),
  ].join('\n')
}
