/** The header of the page: name, tabs of the views, engine and theme. */
import { hardwareThreads } from 'lacuna/internal'
import { useEffect, useState } from 'preact/hooks'
import { chooseEngine, chosenEngine, gpuName } from '../engineChoice.ts'
import { toggleTheme, useTheme } from '../theme.ts'

interface Props<V extends string> {
  /** The views that have a tab. */
  views: readonly { name: V; text: string }[]
  /** The view that is shown, with or without a tab. */
  view: string
  onView(view: V): void
}

/** The header. Tabs follow the ARIA pattern: arrow keys move between them. */
export function Header<V extends string>({ views, view, onView }: Props<V>) {
  const theme = useTheme()
  const isTab = views.some(({ name }) => name === view)
  /** Shows the next view (1) or the one before (-1), in a circle, and focuses its tab. */
  const move = (by: number): void => {
    const focused = views.findIndex(({ name }) => document.activeElement?.id === `tab-${name}`)
    const { name } = views[(Math.max(0, focused) + by + views.length) % views.length]
    onView(name)
    document.getElementById(`tab-${name}`)?.focus()
  }
  return (
    <header class="header">
      <h1 class="brand">
        <a href="#home" aria-current={view === 'home' ? 'page' : undefined}>
          <Logo />
          Lacuna Studio
        </a>
      </h1>
      <div
        class="tabs"
        role="tablist"
        aria-label="Views"
        onKeyDown={({ key }) => {
          if (key === 'ArrowRight') move(1)
          if (key === 'ArrowLeft') move(-1)
        }}
      >
        {views.map(({ name, text }, i) => (
          <button
            type="button"
            role="tab"
            key={name}
            id={`tab-${name}`}
            aria-selected={name === view}
            aria-controls={`view-${name}`}
            tabIndex={name === view || (i === 0 && !isTab) ? 0 : -1}
            onClick={() => onView(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div class="header-end">
        <EngineStatus />
        <button
          type="button"
          class="button quiet icon"
          aria-label={theme === 'dark' ? 'Light theme' : 'Dark theme'}
          title={theme === 'dark' ? 'Light theme' : 'Dark theme'}
          onClick={toggleTheme}
        >
          {theme === 'dark' ? <Sun /> : <Moon />}
        </button>
      </div>
    </header>
  )
}

/** The number of threads, and a checkbox for the GPU if the browser offers one. */
function EngineStatus() {
  const [gpu, setGpu] = useState<string>()
  useEffect(() => {
    gpuName().then(setGpu)
  }, [])
  const isGpuChosen = chosenEngine() === 'gpu'
  if (!gpu && !isGpuChosen) return <Threads />
  return (
    <span class="engine">
      <Threads />
      <label
        title={`Solve on ${gpu ?? 'a graphics card'}, through WebGPU. Its factors differ from the CPU's in their last digits.`}
      >
        <input
          type="checkbox"
          checked={isGpuChosen}
          onChange={({ currentTarget }) => chooseEngine(currentTarget.checked ? 'gpu' : 'cpu')}
        />{' '}
        GPU: {gpu ?? 'not there'}
      </label>
    </span>
  )
}

/** The number of threads, and the reason if the page can use only one. */
function Threads() {
  const threads = hardwareThreads()
  if (crossOriginIsolated) return <span>{threads === 1 ? '1 thread' : `${threads} threads`}</span>
  return (
    <span title="This server does not isolate the page (COOP and COEP headers), so threads cannot share memory. ‘lacuna studio’ does.">
      1 thread: the page is not isolated
    </span>
  )
}

/** The logo: eight squares around a gap. */
function Logo() {
  const cells = [0, 1, 2, 3, 5, 6, 7, 8]
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      {cells.map((cell) => (
        <rect
          key={cell}
          x={1 + 8 * (cell % 3)}
          y={1 + 8 * Math.floor(cell / 3)}
          width="6"
          height="6"
          rx="1.4"
        />
      ))}
    </svg>
  )
}

const Moon = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z" />
  </svg>
)

const Sun = () => (
  <svg viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M19.1 4.9l-1.4 1.4M6.3 17.7l-1.4 1.4" />
  </svg>
)
