/** One self-contained HTML page about a model, to be kept, sent and printed. */
import { decodeAnyModel } from 'lacuna/folds'
import { formatCount, formatNumber } from 'lacuna-figures/numbers'
import { componentsPage, describeComponents } from 'lacuna-figures/report'
import type { Remote } from '../../run/remote.ts'
import { download } from '../../widgets/index.ts'
import type { Validation } from '../answers.ts'
import type { ModelSummary } from '../protocol.ts'
import type { CompleteFunctions } from '../worker/worker.ts'

/** Makes the report of the model that is shown, and saves it. @param stem the name of the file without its ending */
export async function saveReport(
  stem: string,
  summary: ModelSummary,
  call: Remote<CompleteFunctions>,
): Promise<void> {
  const [bytes, names, checks] = await Promise.all([call.modelFile(), call.givenNames(), call.validate()])
  const model = decodeAnyModel(bytes, `${stem}.npz`)
  const nameOf = (mode: number, row: number): string => {
    const label = model.label(mode, row)
    return names.get(mode)?.get(label) ?? label
  }
  const description = describeComponents(model, nameOf, { strongest: 6 })
  const page = componentsPage(model, description, {
    title: stem,
    document,
    remarks: describeTrust(summary, checks),
  })
  download(new Blob([page], { type: 'text/html' }), `${stem}-report.html`)
}

/** Sentences about how far the model can be trusted. */
export function describeTrust(summary: ModelSummary, checks: Validation | undefined): string[] {
  const { outOfFold } = summary
  return [
    ...(outOfFold
      ? [
          `Each model has not seen some entries (${outOfFold.by}), and predicts them with an error of ${formatNumber(outOfFold.rmse)} (RMSE): ${outOfFold.verdict}.`,
        ]
      : []),
    ...(checks
      ? [
          `On ${formatCount(checks.entries)} ${checks.of === 'held-out' ? 'held-out entries' : 'entries that it was learned from'} the error is ${formatNumber(checks.rmse)} (RMSE).`,
        ]
      : []),
    ...(checks?.coreConsistency === undefined
      ? []
      : [`Core consistency: ${Math.round(100 * Math.max(0, checks.coreConsistency))}%.`]),
  ]
}
