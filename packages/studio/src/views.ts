/** The views of the page: their names in the address, and their code, which is loaded when a view is first shown. */
import type { ComponentType } from 'preact'
import type { ViewProps } from './viewProps.ts'

/** The name of a view in the address. */
export type ViewName = 'home' | 'restore' | 'complete' | 'paper'

/** The names; the first is shown if the address names none. */
export const viewNames: readonly ViewName[] = ['home', 'restore', 'complete', 'paper']

/** The views that have a tab. The name of the page leads home; a link in the footer leads to the paper. */
export const tabs = [
  { name: 'restore', text: 'Restore' },
  { name: 'complete', text: 'Complete' },
] as const satisfies readonly { name: ViewName; text: string }[]

/** Loads the code of a view; the first screen is part of the page itself. */
export const loadView: Record<Exclude<ViewName, 'home'>, () => Promise<ComponentType<ViewProps>>> = {
  restore: async () => (await import('./restore/RestoreView.tsx')).RestoreView,
  complete: async () => (await import('./complete/CompleteView.tsx')).CompleteView,
  paper: async () => (await import('./paper/PaperView.tsx')).PaperView,
}
