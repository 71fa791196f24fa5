/** Runs of the Complete view in a browser test. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PATIENT } from '../studio.ts'

/** Starts a quick run on the data that is shown, and waits until its verdict is there. */
export async function completeQuickly(page: Page): Promise<void> {
  const verdict = page.getByRole('region', { name: 'Verdict' })
  const earlier = (await verdict.count()) > 0 ? await verdict.getAttribute('data-run') : ''
  await page.getByRole('button', { name: 'Quick', exact: true }).click()
  await page.locator(`section[aria-label="Verdict"]:not([data-run="${earlier}"])`).waitFor()
}

/** A value of the page's storage, as far as tests look at it. */
interface StoredValue {
  bytes?: unknown
  folded?: readonly string[]
  /** The number of runs of a session. */
  runs?: number
  /** The start of the run that a session shows. */
  shown?: number
  /** The number of test files on which a run was evaluated. */
  tests?: number
}

/**
 * Waits until a value is in the page's storage.
 * @param pattern of its name
 * @param isThere whether it is the value that is waited for; by default, whether it has bytes
 */
export async function waitForStored(
  page: Page,
  pattern: string,
  isThere: (value: StoredValue) => boolean = ({ bytes }) => bytes !== undefined,
): Promise<void> {
  const values = async (): Promise<StoredValue[]> => {
    const found = await page.evaluate(
      (name) =>
        new Promise<
          { hasBytes: boolean; folded?: string[]; runs?: number; shown?: number; tests?: number }[]
        >((resolve) => {
          const request = indexedDB.open('lacuna-studio')
          request.onsuccess = () => {
            const all = request.result.transaction('kept').objectStore('kept').openCursor()
            const matches: {
              hasBytes: boolean
              folded?: string[]
              runs?: number
              shown?: number
              tests?: number
            }[] = []
            all.onsuccess = () => {
              const cursor = all.result
              if (!cursor) {
                request.result.close()
                return resolve(matches)
              }
              const { bytes, folded, runs, shown, run } = cursor.value
              if (new RegExp(name).test(String(cursor.key)))
                matches.push({ hasBytes: bytes !== undefined, folded, runs, shown, tests: run?.tests.length })
              cursor.continue()
            }
          }
        }),
      pattern,
    )
    return found.map(({ hasBytes, ...others }) => ({ ...others, ...(hasBytes && { bytes: true }) }))
  }
  await expect.poll(async () => (await values()).some(isThere), PATIENT).toBe(true)
}
