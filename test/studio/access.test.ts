/** Access to the page: axe's rules in every view, sizes of text, forced colours, zoom, and small screens. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { completeQuickly } from './complete/completing.ts'
import { type Studio, startStudio, visit } from './studio.ts'

/** axe-core as a script for the page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** The smallest text, in CSS pixels. */
const LEAST_TEXT_PX = 11

let studio: Studio

beforeAll(async () => {
  studio = await startStudio()
})

afterAll(() => studio?.close())

/** What axe finds in the page as it is: the rule and the elements that break it. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    type Result = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }
    const { axe } = globalThis as unknown as { axe: { run(): Promise<Result> } }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
    )
  })
}

/** Visible text below the least size. */
function smallTexts(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const small: string[] = []
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent!.trim()
      const parent = walker.currentNode.parentElement!
      if (!text || !parent.checkVisibility() || parent.closest('style, script, title, desc')) continue
      const size = Number.parseFloat(getComputedStyle(parent).fontSize)
      if (size < least) small.push(`${size}px: ${text.slice(0, 40)}`)
    }
    return [...new Set(small)]
  }, LEAST_TEXT_PX)
}

/** The views, and what makes them show all they have. */
const views: Record<string, (page: Page) => Promise<void>> = {
  '#home': (page) => page.getByRole('button', { name: 'Open a file …' }).waitFor(),
  '#restore': (page) => page.getByRole('button', { name: 'Restore', exact: true }).waitFor(),
  '#paper': (page) => page.getByRole('heading', { name: 'Figure 2' }).waitFor(),
}

it.each(Object.entries(views))(
  'axe finds nothing in %s, light and dark, and no text is smaller than 11 px',
  async (address, prepare) => {
    const { page } = await visit(studio, address)
    await prepare(page)
    const found: string[] = []
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      found.push(...(await findings(page)))
    }
    found.push(...(await smallTexts(page)))
    expect(found).toEqual([])
  },
)

it('axe finds nothing in the pages of a model, the first of them light and dark', async () => {
  const { page } = await visit(studio, '#complete?rank=3')
  await page.getByRole('button', { name: 'Bicycle trips' }).click()
  await completeQuickly(page)
  const pages = page.getByRole('group', { name: 'View of the model' }).getByRole('radio')
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const found = await findings(page)
  await page.emulateMedia({ colorScheme: 'light' })
  expect(await pages.count()).toBeGreaterThan(4)
  for (const radio of await pages.all()) {
    await radio.check()
    await page.waitForLoadState('networkidle')
    found.push(...(await findings(page)), ...(await smallTexts(page)))
  }
  expect(found).toEqual([])
})

it('forced colours show the chosen tab, the chosen segment and the track of a slider', async () => {
  const { page } = await visit(studio, '#restore', { forcedColors: 'active' })
  await page.getByRole('button', { name: 'Restore', exact: true }).waitFor()
  for (const [chosen, other] of [
    ['.tabs [aria-selected="true"]', '.tabs [aria-selected="false"]'],
    ['.segmented input:checked + span', '.segmented input:not(:checked) + span'],
  ]) {
    const [ground, otherGround] = await Promise.all(
      [chosen, other].map((selector) => colours(page, selector)),
    )
    expect(ground[0]).not.toBe(otherGround[0])
  }
  // The page, the filled part of the track and the rest.
  expect((await colours(page, 'input[type="range"]')).length).toBeGreaterThan(2)
})

/**
 * The colours in the middle row of an element as it is painted, the most frequent first; only those that cover a
 * twentieth of it.
 */
async function colours(page: Page, selector: string): Promise<number[]> {
  const png = await page.locator(selector).first().screenshot()
  const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const counts = new Map<number, number>()
  const row = Math.floor(info.height / 2)
  for (let x = 0; x < info.width; x++) {
    const at = 3 * (row * info.width + x)
    const colour = (data[at] << 16) | (data[at + 1] << 8) | data[at + 2]
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count >= info.width / 20)
    .sort(([, a], [, b]) => b - a)
    .map(([colour]) => colour)
}
