/** Light or dark: as the system says, or as the user has chosen. */
import { useEffect, useState } from 'preact/hooks'

export type Theme = 'light' | 'dark'

const KEY = 'lacuna.theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const followers = new Set<() => void>()

function chosen(): Theme | undefined {
  const theme = localStorage.getItem(KEY)
  return theme === 'light' || theme === 'dark' ? theme : undefined
}

const current = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light')

function show(): void {
  const theme = chosen()
  if (theme) document.documentElement.dataset.theme = theme
  else delete document.documentElement.dataset.theme
  for (const follow of followers) follow()
}

system.addEventListener('change', show)
show()

export function toggleTheme(): void {
  const other = current() === 'dark' ? 'light' : 'dark'
  // What the system says anyway needs no remembering.
  if ((other === 'dark') === system.matches) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, other)
  show()
}

/** The theme shown. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(current)
  useEffect(() => {
    const follow = (): void => setTheme(current())
    followers.add(follow)
    return () => void followers.delete(follow)
  }, [])
  return theme
}
