/** Asks what to do with a file that is opened while another is shown. */
import { useBringIntoView } from '../../widgets/index.ts'
import type { SecondFile } from './useSecondFile.ts'

/** Asks whether a file has names or attributes of rows or is new data; or offers to undo that it has replaced another. */
export function SecondFileCard({ asked, replaced, answer, undo, dismiss }: SecondFile) {
  const card = useBringIntoView<HTMLElement>(asked !== undefined || replaced !== undefined)
  if (asked) {
    const { file, offer } = asked
    const { mode, hasNames, attributes } = offer
    return (
      <section class="card stack" aria-label="Second file" ref={card}>
        <p>
          <b>{file.name}</b> has rows of {mode}: what are they?
        </p>
        <div class="buttons">
          {hasNames && (
            <button type="button" class="button primary" onClick={() => answer('names')}>
              Names for {mode}
            </button>
          )}
          {attributes.length > 0 && (
            <button type="button" class="button" onClick={() => answer('attributes')}>
              Attributes of {mode}: {attributes.join(', ')}
            </button>
          )}
          <button type="button" class="button" onClick={() => answer('data')}>
            New data
          </button>
          <button type="button" class="button quiet" onClick={dismiss}>
            Neither
          </button>
        </div>
        {attributes.length > 0 && (
          <small class="soft">
            Attributes say which rows are alike; the next run uses them where they help.
          </small>
        )}
      </section>
    )
  }
  if (!replaced) return null
  return (
    <section class="card stack tight" aria-label="Second file" ref={card}>
      <p class="soft">
        This file was opened in place of {replaced.name}, which is{' '}
        {typeof replaced.session === 'string'
          ? 'kept as a session.'
          : 'too large to be stored: you can go back to it until this page is closed or reloaded.'}
      </p>
      <div class="buttons">
        <button type="button" class="button" onClick={undo}>
          Back to {replaced.name}
        </button>
        <button type="button" class="button quiet" onClick={dismiss}>
          Stay here
        </button>
      </div>
    </section>
  )
}
