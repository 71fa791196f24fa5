/** One sentence about what went wrong and what to do. */
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
