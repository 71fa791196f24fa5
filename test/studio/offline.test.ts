/** The page without a network, and on hosts that send no headers: what the service worker does. */
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveFolder } from '#cli/commands/studio/server.ts'
import { filesUnder } from '../../scripts/build/filesUnder.mjs'
import { FOLDER, PATIENT, type Studio, startStudio } from './studio.ts'

let bare: Studio

beforeAll(async () => {
  bare = await startStudio({ isolated: false })
})

afterAll(() => bare?.close())

/** Completes an example of the first screen. */
async function runExample(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Spectra/ }).click()
  await page.getByRole('radio', { name: 'Components' }).waitFor()
}

it('a static host without headers gives threads after one reload, and the page works when the host is gone', async () => {
  const context = await bare.browser.newContext()
  const page = await context.newPage()
  let navigations = 0
  page.on('framenavigated', () => navigations++)
  await page.goto(bare.url)
  await page.getByTestId('offline').waitFor() // all files have been copied
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  expect(navigations).toBe(2)

  await bare.stopServer()
  await page.reload()
  await runExample(page)
  const threads = Number(await page.locator('dt:text-is("Threads") + dd').textContent())
  expect(threads).toBe(await page.evaluate(() => navigator.hardwareConcurrency))
  const array = join(import.meta.dirname, '../lacuna/io/science/files/data.h5')
  await page.getByLabel('Open a file …').first().setInputFiles(array)
  await expect.poll(() => page.getByTestId('size').textContent(), PATIENT).toBe('3 × 4 × 5')
  // Any part may be needed later, such as the kernels of another rank and the readers of Parquet.
  const files = filesUnder(FOLDER).map((path) => path.slice(FOLDER.length + 1))
  const lost = await page.evaluate(
    async (names) => {
      const found = await Promise.all(
        names.map((name) =>
          fetch(`./${name}`).then(
            ({ ok }) => ok,
            () => false,
          ),
        ),
      )
      return names.filter((_, i) => !found[i])
    },
    files.filter((file) => file !== 'sw.js'),
  )
  expect(lost).toEqual([])
  await context.close()
})

it('a new version on the server is shown at the next visit, and its copy replaces the old one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lacuna-versions-'))
  await cp(FOLDER, folder, { recursive: true })
  const server = await serveFolder(folder, { host: '127.0.0.1', port: 0 })
  const context = await bare.browser.newContext()
  const page = await context.newPage()
  const versions = (): Promise<string[]> => page.evaluate(() => caches.keys())
  try {
    await page.goto(server.url)
    await page.getByTestId('offline').waitFor()
    const [first] = await versions()
    let current = first
    for (const version of ['2', '3']) {
      await edit(join(folder, 'index.html'), /<title>.*<\/title>/, `<title>Version ${version}</title>`)
      await edit(join(folder, 'sw.js'), /version:[`'"]\w+/, (start) => `${start}${version}`)
      await page.reload()
      expect(await page.title()).toBe(`Version ${version}`)
      current += version
      await expect.poll(versions, PATIENT).toContain(current)
      await page.getByTestId('offline').waitFor()
    }
    // The last version stays for other tabs; the one before is removed.
    await expect.poll(versions, PATIENT).not.toContain(first)
  } finally {
    await context.close()
    await server.close()
    await rm(folder, { recursive: true, force: true })
  }
})

/** Replaces a text in a file, which must be there. */
async function edit(path: string, from: RegExp, to: string | ((found: string) => string)): Promise<void> {
  const text = await readFile(path, 'utf8')
  expect(text).toMatch(from)
  await writeFile(path, text.replace(from, to as string))
}

it('the manifest names icons that are there, so that the page can be installed', () => {
  const manifest = JSON.parse(readFileSync(join(FOLDER, 'manifest.webmanifest'), 'utf8'))
  expect(manifest.icons.map(({ sizes }: { sizes: string }) => sizes)).toEqual([
    '192x192',
    '512x512',
    '512x512',
  ])
  for (const { src, sizes } of manifest.icons) {
    const png = readFileSync(join(FOLDER, src))
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes)
  }
  expect(manifest.start_url).toBe('./')
})
