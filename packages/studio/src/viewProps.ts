/** The properties that App passes to each of the three views. */
export interface ViewProps {
  /** Shows the message of an error in the page's notice. */
  showError(error: unknown): void
  /** Hides the notice. */
  clearError(): void
}
