/** Light or dark theme: the system's preference, or the user's choice, which local storage holds. */
import { useEffect, useState } from 'preact/hooks'

/** A colour theme. */
export type Theme = 'light' | 'dark'

/** The key of the choice in local storage. */
const KEY = 'lacuna.theme'
/** The system's preference for a dark theme. */
const system = matchMedia('(prefers-color-scheme: dark)')
/** Called when the theme has changed. */
const listeners = new Set<() => void>()

/** The theme that the user chose, or undefined. */
function storedTheme(): Theme | undefined {
  const theme = localStorage.getItem(KEY)
  return theme === 'light' || theme === 'dark' ? theme : undefined
}

/** The theme that is shown: the user's choice, else the system's preference. */
const currentTheme = (): Theme => storedTheme() ?? (system.matches ? 'dark' : 'light')

/** Applies the stored theme to the document and informs the listeners. */
function applyTheme(): void {
  const theme = storedTheme()
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
  for (const listener of listeners) listener()
}

system.addEventListener('change', applyTheme)
applyTheme()

/** Changes between light and dark. */
export function toggleTheme(): void {
  const other = currentTheme() === 'dark' ? 'light' : 'dark'
  // The system's preference is not stored, so that the page follows it when it changes.
  if ((other === 'dark') === system.matches) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, other)
  applyTheme()
}

/** The current theme; the component renders again when it changes. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(currentTheme)
  useEffect(() => {
    const update = (): void => setTheme(currentTheme())
    listeners.add(update)
    return () => void listeners.delete(update)
  }, [])
  return theme
}
