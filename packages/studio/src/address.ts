/**
 * What is shown and how it is set stands in the URL, as in #restore?hide=80&rank=40: a reload or a link brings it back.
 * The settings of the views not shown are kept by the browser meanwhile.
 */
import { useCallback, useEffect, useState } from 'preact/hooks'

const kept = (view: string): string => `lacuna.view.${view}`

function addressed(): { view: string; query: string } {
  const [view, query = ''] = location.hash.slice(1).split('?')
  return { view, query }
}

/** The settings of a view: those in the URL if it is the one shown. */
function settingsOf(view: string): URLSearchParams {
  const address = addressed()
  const query = address.view === view && address.query ? address.query : localStorage.getItem(kept(view))
  return new URLSearchParams(query ?? '')
}

const withSettings = (view: string, settings: URLSearchParams): string =>
  settings.size > 0 ? `#${view}?${settings}` : `#${view}`

export function useView<V extends string>(views: readonly V[]): [V, (view: V) => void] {
  const parse = (): V => views.find((view) => view === addressed().view) ?? views[0]
  const [view, setView] = useState(parse)
  useEffect(() => {
    const follow = (): void => setView(parse())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return [
    view,
    (next) => {
      location.hash = withSettings(next, settingsOf(next))
    },
  ]
}

/** A setting in the URL of its view. */
export function useSetting<T extends string | number>(
  view: string,
  name: string,
  fallback: T,
): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    const text = settingsOf(view).get(name)
    if (text === null) return fallback
    if (typeof fallback === 'string') return text as T
    return (Number.isFinite(Number(text)) ? Number(text) : fallback) as T
  })
  const set = useCallback(
    (next: T) => {
      setValue(next)
      const settings = settingsOf(view)
      if (next === fallback) settings.delete(name)
      else settings.set(name, String(next))
      localStorage.setItem(kept(view), settings.toString())
      history.replaceState(null, '', withSettings(view, settings))
    },
    [view, name, fallback],
  )
  return [value, set]
}
