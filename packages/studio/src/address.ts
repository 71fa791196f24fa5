/**
 * State in the URL: the view and its settings, as in #restore?hide=80&rank=40, so that a reload or a link
 * restores them. Local storage holds the settings of the views that are not shown.
 */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { parseSetting, type SettingLimits } from './parseSetting.ts'

/** The key of a view's settings in local storage. */
const storageKey = (view: string): string => `lacuna.view.${view}`

/** Splits the URL's hash into view and query. */
function parseHash(): { view: string; query: string } {
  const [view, query = ''] = location.hash.slice(1).split('?')
  return { view, query }
}

/** The settings of a view: from the URL if it is shown, else from local storage. */
function readSettings(view: string): URLSearchParams {
  const address = parseHash()
  const query =
    address.view === view && address.query ? address.query : localStorage.getItem(storageKey(view))
  return new URLSearchParams(query ?? '')
}

/** The URL's hash for a view and its settings. */
const hashOf = (view: string, settings: URLSearchParams): string =>
  settings.size > 0 ? `#${view}?${settings}` : `#${view}`

/** The view named in the URL, or the first one, and a function that shows another. */
export function useView<V extends string>(views: readonly V[]): [V, (view: V) => void] {
  const parse = (): V => views.find((view) => view === parseHash().view) ?? views[0]
  const [view, setView] = useState(parse)
  useEffect(() => {
    const follow = (): void => setView(parse())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return [
    view,
    (next) => {
      location.hash = hashOf(next, readSettings(next))
    },
  ]
}

/**
 * One setting of a view, stored in the URL and in local storage. It follows the URL when a link, the user or
 * the back button changes it.
 * @param fallback the default, which is not written into the URL; its type decides how the text is parsed
 * @param limits the values that are allowed, and a callback for a sentence about others
 */
export function useSetting<T extends string | number>(
  view: string,
  name: string,
  fallback: T,
  limits: SettingLimits<T> & { onFault?(sentence: string): void } = {},
): [T, (value: T) => void] {
  const parse = () => parseSetting(name, readSettings(view).get(name), fallback, limits)
  const [value, setValue] = useState<T>(() => parse().value)
  useEffect(() => {
    const follow = (): void => {
      if (parseHash().view !== view) return
      const { value, fault } = parse()
      setValue(value)
      if (fault) limits.onFault?.(fault)
    }
    follow()
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const set = useCallback(
    (next: T) => {
      setValue(next)
      const settings = readSettings(view)
      if (next === fallback) settings.delete(name)
      else settings.set(name, String(next))
      localStorage.setItem(storageKey(view), settings.toString())
      if (parseHash().view === view) history.replaceState(null, '', hashOf(view, settings))
    },
    [view, name, fallback],
  )
  return [value, set]
}
