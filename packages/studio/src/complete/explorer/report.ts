/** One self-contained HTML page about a model, to be kept, sent and printed. */
import { decodeAnyModel } from 'lacuna/folds'
import { componentsPage, describeComponents } from 'lacuna-figures/report'
import type { Remote } from '../../run/remote.ts'
import { download } from '../../widgets/index.ts'
import type { ModelSummary } from '../protocol.ts'
import type { CompleteFunctions } from '../worker/worker.ts'
import { describeTrust } from './trust.ts'

/** Makes the report of the model that is shown, and saves it. @param stem the name of the file without its ending */
export async function saveReport(
  stem: string,
  summary: ModelSummary,
  call: Remote<CompleteFunctions>,
): Promise<void> {
  const [bytes, names, checks] = await Promise.all([call.learnedFile(), call.givenNames(), call.validate()])
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
