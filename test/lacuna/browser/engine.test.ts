/** The engine suite of Node, in Chromium. */
import { fileURLToPath } from 'node:url'
import { build, type Rollup } from 'vite'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { engineChecks, variantChecks } from '../engine/suite.ts'
import { type BrowserPage, openPage } from './page.ts'

let opened: BrowserPage

beforeAll(async () => {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      lib: { entry: fileURLToPath(new URL('../engine/suite.ts', import.meta.url)), formats: ['es'] },
      rollupOptions: {
        // The library stays as it is, with its workers and kernels beside it.
        external: /^#lacuna/,
        output: { paths: (id: string) => id.replace('#lacuna', '/packages/lacuna/dist') },
      },
    },
  })
  const [{ output }] = result as Rollup.RollupOutput[]
  opened = await openPage({ '/suite.js': output[0].code })
})
afterAll(() => opened?.close())

/** Engines for the checks stay open; of variants there are more than a page has memory for. */
const inPage = (list: 'engineChecks' | 'variantChecks', name: string, engines: string): Promise<void> =>
  opened.page.evaluate(`(async () => {
    const { cpuEngine } = await import('/packages/lacuna/dist/browser.js')
    const { ${list}, keepOpen, tryFewerProblems } = await import('/suite.js')
    tryFewerProblems(8)
    const variants = ${engines}
    const { check } = ${list}.find((one) => one.name === ${JSON.stringify(name)})
    if (${list === 'variantChecks'}) return check(variants)
    const kept = (globalThis.kept ??= {})
    await check((kept[variants[0].name] ??= keepOpen(variants[0].make())))
  })()`)

const variantsOf = (parts: number[], threads: number[]): string =>
  `${JSON.stringify(parts.flatMap((p) => threads.map((t) => ({ parts: p, threads: t, allThreads: true }))))}
    .map((options) => ({ name: JSON.stringify(options), make: () => cpuEngine(options) }))`

// On one partition the bits are the same: see the variants below.
describe('the CPU engine with 3 partitions, in a page', () => {
  for (const { name } of engineChecks) it(name, () => inPage('engineChecks', name, variantsOf([3], [2])))
})

describe('1 and 3 partitions on 2 and 7 threads, in a page', () => {
  for (const { name } of variantChecks)
    it(name, () => inPage('variantChecks', name, variantsOf([1, 3], [2, 7])))
})
