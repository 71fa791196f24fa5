/** The notice under the header: one sentence about an error, and a button that dismisses it. */
export function Notice({ text, onClose }: { text: string; onClose(): void }) {
  return (
    <div class="notice" role="alert">
      <p>{text}</p>
      <button type="button" class="button quiet" onClick={onClose}>
        Dismiss
      </button>
    </div>
  )
}
