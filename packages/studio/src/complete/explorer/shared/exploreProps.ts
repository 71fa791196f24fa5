/** The properties that Explorer passes to the pages of a model. */
import type { Remote } from '../../../run/remote.ts'
import type { ModelSummary } from '../../protocol.ts'
import type { SideTable } from '../../sideTables.ts'
import type { CompleteFunctions } from '../../worker/worker.ts'

/** A model, the row chosen in each mode, and the worker that answers queries about them. */
export interface ExploreProps {
  model: ModelSummary
  /** Per mode, the label of the chosen row. */
  labels: string[]
  /** Chooses another row of a mode. */
  onLabel(mode: number, label: string): void
  /** The number of the chosen component, which all pages light up; undefined if none is. */
  chosen: number | undefined
  /** Chooses a component, or none. */
  onChoose(component: number | undefined): void
  /** Names and attributes of rows; pages ask again when they have changed. */
  tables: readonly SideTable[]
  /** The functions of the view's worker. */
  call: Remote<CompleteFunctions>
  /** Shows the message of an error in the page's notice. */
  showError(error: unknown): void
}

/** Whether rows of the user's own were folded into a model: their values are known also where its data is not. */
export const hasOwnRows = ({ modes }: ModelSummary): boolean => modes.some(({ own }) => own !== undefined)
