/** A word in the footer: whether the page works without a network. */
import { useEffect, useState } from 'preact/hooks'
import { onOfflineCopy } from './install.ts'

/** Shown once all files of the page have been copied into the browser. */
export function OfflineStatus() {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => onOfflineCopy(setIsCopied), [])
  return isCopied ? <span data-testid="offline">Works offline. </span> : null
}
