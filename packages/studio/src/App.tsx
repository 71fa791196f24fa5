/** The studio: a header with tabs, a notice for errors, and the three views. */
import { useState } from 'preact/hooks'
import { useView } from './address.ts'
import { CompleteView } from './complete/CompleteView.tsx'
import { PaperView } from './paper/PaperView.tsx'
import { RestoreView } from './restore/RestoreView.tsx'
import { Header } from './shell/Header.tsx'
import { Notice } from './shell/Notice.tsx'
import type { ViewProps } from './viewProps.ts'

/** The views, in the order of their tabs. */
const views = [
  { name: 'restore', text: 'Restore' },
  { name: 'complete', text: 'Complete' },
  { name: 'paper', text: 'Paper' },
] as const

const names = views.map(({ name }) => name)

/** The whole page. */
export function App() {
  const [view, setView] = useView(names)
  const [message, setMessage] = useState<string>()
  const shared: ViewProps = {
    showError: (error) => setMessage(error instanceof Error ? error.message : String(error)),
    clearError: () => setMessage(undefined),
  }
  return (
    <div class="shell">
      <Header views={views} view={view} onView={setView} />
      {message && <Notice text={message} onClose={shared.clearError} />}
      {/* Hidden views stay mounted, so that their runs continue. */}
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
