/** Light or dark: as the system says, or as the user has chosen. */
import { useEffect, useState } from 'preact/hooks'

export type Theme = 'light' | 'dark'

const KEY = 'lacuna.theme'
const system = matchMedia('(prefers-color-scheme: dark)')

function chosen(): Theme | undefined {
  const theme = localStorage.getItem(KEY)
  return theme === 'light' || theme === 'dark' ? theme : undefined
}

const current = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light')

function show(): void {
  const theme = chosen()
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
}

show()

/** The theme shown, and a way to choose the other one. */
export function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState(current)
  useEffect(() => {
    const follow = (): void => setTheme(current())
    system.addEventListener('change', follow)
    return () => system.removeEventListener('change', follow)
  }, [])
  const toggle = (): void => {
    const other = current() === 'dark' ? 'light' : 'dark'
    // What the system says anyway needs no remembering.
    if ((other === 'dark') === system.matches) localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, other)
    show()
    setTheme(other)
  }
  return [theme, toggle]
}
