/**
 * Installs the service worker (serviceWorker.ts). On a host that does not isolate the page, it reloads the page
 * once, so that the service worker can: then threads can share memory.
 */

/** The key in session storage that marks that the page was reloaded, so that it is not again. */
const RELOADED = 'lacuna.reloadedToIsolate'
/** The longest time that copying waits for an idle moment of the page, in milliseconds. */
const IDLE_MS = 3000

/** Whether all files of the page have been copied; listeners are called when that changes. */
let isCopied = false
const listeners = new Set<(isCopied: boolean) => void>()
/** Whether the user has begun to do something, which a reload would interrupt. */
let touched = false

/** Calls `listen` now and when the offline copy is complete. @returns a function that stops that */
export function onOfflineCopy(listen: (isCopied: boolean) => void): () => void {
  listeners.add(listen)
  listen(isCopied)
  return () => void listeners.delete(listen)
}

/** Installs the service worker, and lets it copy all files once the page is idle. Does nothing where it cannot. */
export async function installServiceWorker(): Promise<void> {
  if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
  const workers = navigator.serviceWorker
  for (const type of ['pointerdown', 'keydown', 'drop', 'paste'])
    addEventListener(
      type,
      () => {
        touched = true
      },
      { once: true, capture: true },
    )
  workers.addEventListener('message', ({ data }: MessageEvent<{ offlineCopy?: boolean }>) => {
    if (data.offlineCopy === undefined) return
    isCopied = data.offlineCopy
    for (const listen of listeners) listen(isCopied)
  })
  // A new version has taken over: it copies its own files.
  workers.addEventListener('controllerchange', () => workers.controller?.postMessage('precache'))
  try {
    if (crossOriginIsolated) await whenIdle()
    await workers.register('./sw.js', { updateViaCache: 'none' })
    const { active } = await workers.ready
    if (!reloadToIsolate()) {
      await whenIdle()
      active?.postMessage('precache')
    }
  } catch {
    // Private windows and some embedded browsers refuse: the page works, but not offline.
  }
}

/** Reloads a page that is not isolated, at most once and not after the user has begun. @returns whether it does */
function reloadToIsolate(): boolean {
  if (crossOriginIsolated) {
    sessionStorage.removeItem(RELOADED)
    return false
  }
  if (touched || sessionStorage.getItem(RELOADED)) return false
  sessionStorage.setItem(RELOADED, 'yes')
  location.reload()
  return true
}

/** Resolves when the page has loaded and has nothing to do. */
async function whenIdle(): Promise<void> {
  if (document.readyState !== 'complete')
    await new Promise((resolve) => addEventListener('load', resolve, { once: true }))
  await new Promise<void>((resolve) => {
    // Safari has no requestIdleCallback.
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: IDLE_MS })
    else setTimeout(resolve, IDLE_MS)
  })
}
