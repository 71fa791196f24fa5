/** The command line and the TypeScript that do what a run did, to copy. */
import { useState } from 'preact/hooks'
import { commandOf, programOf, type Repeated } from './commands.ts'

/** Two texts, each with a button that copies it. */
export function CommandsCard(repeated: Repeated) {
  return (
    <section class="card stack" aria-label="The same elsewhere">
      <details>
        <summary>The same on the command line, and in TypeScript</summary>
        <div class="stack">
          <Copied name="Command" text={commandOf(repeated)} />
          <Copied name="TypeScript" text={programOf(repeated)} />
        </div>
      </details>
    </section>
  )
}

/** A text and a button that copies it. */
function Copied({ name, text }: { name: string; text: string }) {
  const [isCopied, setCopied] = useState(false)
  return (
    <div class="stack tight">
      <pre class="code" data-testid={name}>
        {text}
      </pre>
      <div class="buttons">
        <button
          type="button"
          class="button"
          onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
        >
          {isCopied ? 'Copied' : `Copy the ${name === 'Command' ? 'command' : name}`}
        </button>
      </div>
    </div>
  )
}
