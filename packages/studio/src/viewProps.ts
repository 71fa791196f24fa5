/** The properties that App passes to each of the views. */

/** Files that were dropped on the page, pasted or chosen elsewhere, and that a view opens when `id` changes. */
export interface Incoming {
  /** Increases with every hand-over; a view that has opened an id ignores it later. */
  id: number
  files: readonly File[]
  /** Set if the files are an example of the first screen: the view opens it with these settings and runs it. */
  example?: ExampleSettings
}

/** An example of the first screen. */
export interface ExampleSettings {
  /** The title on its card, such as “Metro”. */
  title: string
  /** A remark for the user: where the data is from, and what is hidden or simulated. */
  note: string
  /** Settings of the view by their names in the address, such as { rank: 8 } or { damage: 'scratches' }. */
  settings: Readonly<Record<string, string | number>>
}

/** The properties of a view. */
export interface ViewProps {
  /** Shows the message of an error in the page's notice. */
  showError(error: unknown): void
  /** Hides the notice. */
  clearError(): void
  /** Files to open; undefined until some arrive. */
  incoming?: Incoming
}
