import { afterAll, beforeAll, expect, it } from 'vitest'
import { type CompleteOptions, complete, synthetic } from '#lacuna/index.js'
import { type BrowserPage, openPage } from './page.ts'

let opened: BrowserPage

beforeAll(async () => {
  opened = await openPage()
})
afterAll(() => opened?.close())

it('A page computes the bits of Node, for any number of threads, and stays responsive', async () => {
  const problem = { dims: [200, 150, 40], entries: 60_000, rank: 5, seed: 1 }
  const { tensor } = synthetic(problem)
  const solvers: CompleteOptions[] = [{ solver: 'paper', sample: 0.3 }, { solver: 'fast' }]
  for (const solver of solvers) {
    const options = { ...solver, rank: 7, epochs: 10, seed: 3 }
    const { model, epochs } = await complete(tensor, { ...options, threads: 2 })
    const hash = await digest(model.factors)
    for (const threads of [1, 2, 3]) {
      const found = await opened.page.evaluate(solveInPage(problem, { ...options, threads }))
      expect(found).toEqual({ hash, epochs: epochs.length, alive: true, isolated: true })
    }
    if (solver.solver === 'paper') expect(epochs).toHaveLength(10)
  }
  expect(opened.complaints).toEqual([])
})

it('A page continues a run of Node with the same bits', async () => {
  const problem = { dims: [60, 50, 40], entries: 20_000, rank: 3, seed: 1 }
  const { tensor } = synthetic(problem)
  const { encodeRun, Run } = await import('#lacuna/index.js')
  const run = await Run.start(tensor, { rank: 4, epochs: 5 })
  for (let i = 0; i < 7; i++) await run.advance({ seconds: 0 })
  const saved = [...Buffer.concat(encodeRun(await run.state()))]
  for await (const _ of run);
  const hash = await digest((await run.result()).model.factors)
  await run.close()
  const found = await opened.page.evaluate(`(async () => {
    const { decodeRun, Run, synthetic } = await import('/packages/lacuna/dist/browser.js')
    const { tensor } = synthetic(${JSON.stringify(problem)})
    const run = await Run.resume(decodeRun(Uint8Array.from(${JSON.stringify(saved)}), 'saved'), tensor)
    for await (const _ of run);
    const { model } = await run.result()
    const bytes = await new Blob(model.factors).arrayBuffer()
    return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join()
  })()`)
  expect(found).toBe(hash)
})

/** What the page runs, as text: the test's own transformation must not touch it. */
function solveInPage(problem: object, options: object): string {
  return `(async () => {
    const lacuna = await import('/packages/lacuna/dist/browser.js')
    const { tensor } = lacuna.synthetic(${JSON.stringify(problem)})
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    const { model, epochs } = await lacuna.complete(tensor, ${JSON.stringify(options)})
    clearInterval(timer)
    const bytes = await new Blob(model.factors).arrayBuffer()
    const hash = [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join()
    return { hash, epochs: epochs.length, alive: ticks > 0, isolated: crossOriginIsolated }
  })()`
}

async function digest(factors: readonly Float32Array[]): Promise<string> {
  const bytes = Buffer.concat(factors.map((factor) => Buffer.from(factor.buffer)))
  return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].join()
}
