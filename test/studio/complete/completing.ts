/** Runs of the Complete view in a browser test. */
import type { Page } from 'playwright-core'

/** Starts a quick run on the data that is shown, and waits until its verdict is there. */
export async function completeQuickly(page: Page): Promise<void> {
  const verdict = page.getByRole('region', { name: 'Verdict' })
  const earlier = (await verdict.count()) > 0 ? await verdict.getAttribute('data-run') : ''
  await page.getByRole('button', { name: 'Quick', exact: true }).click()
  await page.locator(`section[aria-label="Verdict"]:not([data-run="${earlier}"])`).waitFor()
}
