/** The studio: a header with tabs, a notice for errors, the first screen and the views. */
import { useState } from 'preact/hooks'
import { useView } from './address.ts'
import type { Example } from './examples/index.ts'
import { HomeView } from './home/HomeView.tsx'
import { OfflineStatus } from './offline/OfflineStatus.tsx'
import { chooseView } from './shell/chooseView.ts'
import { Header } from './shell/Header.tsx'
import { LazyView } from './shell/LazyView.tsx'
import { Notice } from './shell/Notice.tsx'
import { usePageFiles } from './shell/usePageFiles.ts'
import { useRemarks } from './shell/useRemarks.ts'
import type { ExampleSettings, Incoming, ViewProps } from './viewProps.ts'
import { loadView, tabs, viewNames } from './views.ts'

/** The whole page. */
export function App() {
  const [view, setView] = useView(viewNames)
  const [message, setMessage] = useState<string>()
  const [incoming, setIncoming] = useState<{ restore?: Incoming; complete?: Incoming }>({})
  const [opening, setOpening] = useState<Example>()
  const shared: ViewProps = {
    showError: (error) => setMessage(error instanceof Error ? error.message : String(error)),
    clearError: () => setMessage(undefined),
  }

  /** Hands files to a view and shows it. */
  function open(name: 'restore' | 'complete', files: File[], example?: ExampleSettings): void {
    setMessage(undefined)
    setIncoming((before) => ({ ...before, [name]: { id: (before[name]?.id ?? 0) + 1, files, example } }))
    setView(name)
  }

  /** Makes the files of an example and opens it. */
  async function openExample(example: Example): Promise<void> {
    setOpening(example)
    try {
      const { title, note, settings } = example
      open(example.view, await example.load(), { title, note, settings })
    } catch (error) {
      shared.showError(error)
    } finally {
      setOpening(undefined)
    }
  }

  useRemarks(setMessage)
  const over = usePageFiles({ view, open })
  return (
    <div class={over ? 'shell over' : 'shell'}>
      <Header views={tabs} view={view} onView={setView} />
      {message && <Notice text={message} onClose={shared.clearError} />}
      <main>
        {view === 'home' && (
          <HomeView
            onFiles={(files) => open(chooseView(files), files)}
            onExample={(example) => void openExample(example)}
            opening={opening}
          />
        )}
        {/* Views that were shown once stay mounted, so that their runs continue. */}
        {tabs.map(({ name }) => (
          <section
            key={name}
            id={`view-${name}`}
            role="tabpanel"
            aria-labelledby={`tab-${name}`}
            hidden={view !== name}
          >
            <LazyView {...shared} incoming={incoming[name]} shown={view === name} load={loadView[name]} />
          </section>
        ))}
        <section aria-label="The paper’s figures" hidden={view !== 'paper'}>
          <LazyView {...shared} shown={view === 'paper'} load={loadView.paper} />
        </section>
      </main>
      <footer class="footer">
        <p>
          Everything is computed in this page, by WebAssembly on your own machine.
          {view !== 'home' && ' Nothing you open here leaves it.' /* the first screen says so at its top */}
        </p>
        <p>
          <OfflineStatus />
          <a href="#paper">The paper’s figures</a>
        </p>
      </footer>
    </div>
  )
}
