import { useState } from 'preact/hooks'
import { useView } from './address.ts'
import { CompleteView } from './complete/CompleteView.tsx'
import { PaperView } from './paper/PaperView.tsx'
import { RestoreView } from './restore/RestoreView.tsx'
import { Header } from './shell/Header.tsx'
import { Notice } from './shell/Notice.tsx'

const views = [
  { name: 'restore', text: 'Restore' },
  { name: 'complete', text: 'Complete' },
  { name: 'paper', text: 'Paper' },
] as const

const names = views.map(({ name }) => name)

export function App() {
  const [view, setView] = useView(names)
  const [trouble, setTrouble] = useState<string>()
  const complain = (error: unknown): void =>
    setTrouble(error instanceof Error ? error.message : String(error))
  const shared = { complain, settle: () => setTrouble(undefined) }
  return (
    <div class="shell">
      <Header views={views} view={view} onView={setView} />
      {trouble && <Notice text={trouble} onClose={() => setTrouble(undefined)} />}
      {/* Views stay alive while another is shown: what they are solving goes on. */}
      <main>
        <section id="view-restore" role="tabpanel" aria-labelledby="tab-restore" hidden={view !== 'restore'}>
          <RestoreView {...shared} />
        </section>
        <section
          id="view-complete"
          role="tabpanel"
          aria-labelledby="tab-complete"
          hidden={view !== 'complete'}
        >
          <CompleteView {...shared} />
        </section>
        <section id="view-paper" role="tabpanel" aria-labelledby="tab-paper" hidden={view !== 'paper'}>
          <PaperView {...shared} />
        </section>
      </main>
      <footer class="footer">
        Everything is computed in this page, by WebAssembly on your own machine. Nothing you open here leaves
        it.
      </footer>
    </div>
  )
}

/** What every view is given: a way to say what went wrong, and to take it back. */
export interface ViewProps {
  complain(error: unknown): void
  settle(): void
}
